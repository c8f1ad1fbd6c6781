// RUN: rewrite link diamond right
// CHECK: NoContraction
// CHECK-NOT: NoContraction
// CHECK: OpFSub
#version 450
layout(location = 0) in float x;
layout(location = 0) out float v;
void main() { v = sin(x) * 2.0; }
