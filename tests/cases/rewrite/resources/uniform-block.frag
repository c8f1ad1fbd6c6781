// RUN: rewrite uniform-block 1 2 host first second third
// Version: 1.5
// CHECK: "main" %host
// CHECK: 0 Offset 0
// CHECK: 1 Offset 4
// CHECK: 2 Offset 8
#version 450
void main() {}
