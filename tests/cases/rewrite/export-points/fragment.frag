// RUN: rewrite export-points
// EXIT: 3
// CHECK: a fragment stage does not export vertices to the rasterizer
// CHECK: about: main.
#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1); }
