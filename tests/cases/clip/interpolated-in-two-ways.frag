#version 450
// RUN: polyshade clip %s --inputs clip=1,cull=2 -o %t.spv
// EXIT: 3
// CHECK: distances are interpolated in different ways

layout(location = 1) in vec4 a;
layout(location = 2) noperspective in vec4 b;
layout(location = 0) out vec4 colour;
void main() { colour = a + b; }
