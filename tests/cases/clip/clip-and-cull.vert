#version 450
// RUN: polyshade clip %s --outputs clip=1,cull=1.w -o %t.spv
// EXIT: 2
// CHECK: component 3 of location 1 is marked as both clip and cull distance

layout(location = 1) out vec4 a;
void main() { a = vec4(1.0); }
