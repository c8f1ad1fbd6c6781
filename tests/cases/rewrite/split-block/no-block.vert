// RUN: rewrite split-block v
// EXIT: 3
// CHECK: the variable to split is not a block
// CHECK: about: v.
#version 450
layout(location = 3) out vec4 v;
void main() { v = vec4(1); }
