// RUN: rewrite split-block values
// EXIT: 3
// CHECK: an array of blocks cannot be split
// CHECK: about: values.
#version 450
layout(location = 3) out Values { vec4 a; vec4 b; } values[2];
void main() { values[1].b = vec4(1); }
