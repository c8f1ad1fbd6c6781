#version 450
// RUN: polyshade clip %s --outputs clip=1 -o %t.spv
// EXIT: 3
// CHECK: the shader has clip distances in gl_ClipDistance and in registers

layout(location = 1) out vec4 a;
out float gl_ClipDistance[1];
void main() { a = vec4(1.0); gl_ClipDistance[0] = 1.0; }
