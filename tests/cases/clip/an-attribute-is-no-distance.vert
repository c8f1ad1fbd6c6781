#version 450
// RUN: polyshade clip %s --inputs clip=1 -o %t.spv
// EXIT: 1
// CHECK: the vertex stage has no such input

layout(location = 1) in vec4 a;
void main() { gl_Position = a; }
