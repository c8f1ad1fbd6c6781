// RUN: rewrite wrap
// CHECK: OpKill
// CHECK-NOT: OpKill
#version 450
layout(location = 0) in float x;
layout(location = 0) out float v;
void deep() { if (x < 0.5) discard; }
void main() { if (x > 2.0) { v = 1.0; return; } deep(); v = x; }
