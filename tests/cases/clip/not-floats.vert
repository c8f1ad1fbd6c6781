#version 450
// RUN: polyshade clip %s --outputs clip=1 -o %t.spv
// EXIT: 3
// CHECK: a distance is not made of 32-bit floats

layout(location = 1) flat out ivec4 a;
void main() { a = ivec4(1); }
