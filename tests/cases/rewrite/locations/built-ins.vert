// Built-ins take no location.
// RUN: rewrite free-outputs 4
// CHECK: OpName %at_0
// CHECK: OpName %at_1
// CHECK: OpName %at_2
// CHECK: OpName %at_3
#version 450
invariant gl_Position;
void main() {}
