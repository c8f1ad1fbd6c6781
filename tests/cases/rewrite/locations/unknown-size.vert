// An output of unknown size takes all that follows.
// RUN: rewrite free-outputs 32
// CHECK: OpName %at_0
// CHECK: OpName %at_2
// CHECK-NOT: OpName %at_
#version 450
layout(constant_id = 1) const int count = 2;
layout(location = 3) out vec4 open[count];
layout(location = 1) out vec4 other;
void main() {}
