#version 450
// RUN: polyshade clip %s --outputs clip=4.x -o %t.spv
// EXIT: 1
// CHECK: the vertex stage has no such output

layout(location = 1) out vec4 a;
void main() { a = vec4(1.0); }
