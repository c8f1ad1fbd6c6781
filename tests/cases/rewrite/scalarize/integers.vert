// RUN: rewrite scalarize v v
// EXIT: 3
// CHECK: the variable is not made of 32-bit floats
// CHECK: about: v.
#version 450
layout(location = 1) out ivec2 v;
void main() { v = ivec2(1); }
