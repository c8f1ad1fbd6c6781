#version 450
// RUN: polyshade clip %s --outputs clip=99.xy --emulate 8 -o %t.spv
// EXIT: 1
// CHECK: the vertex stage has no such output

layout(location = 3) out vec2 a;
void main() { a = vec2(1.0); gl_Position = vec4(0.0); }
