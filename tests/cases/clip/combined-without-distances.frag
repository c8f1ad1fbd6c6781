#version 450
// A stage without distances stays as it is.
// RUN: polyshade clip %s --to combined -o %t.spv
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
