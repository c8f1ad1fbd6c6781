// RUN: rewrite free-outputs 32
// CHECK: OpName %at_0
// CHECK: OpName %at_4
// CHECK: OpName %at_9
// CHECK: OpName %at_11
// CHECK: OpName %at_15
// CHECK: OpName %at_16
// CHECK: OpName %at_19
// CHECK: OpName %at_21
// CHECK: OpName %at_22
// CHECK: OpName %at_29
// CHECK: OpName %at_30
// CHECK: OpName %at_31
// CHECK-NOT: OpName %at_
#version 450
layout(location = 1) out mat3 matrix; // 1 to 3
layout(location = 5) flat out dvec3 wide[2]; // 5 to 8
layout(location = 10, component = 2) out vec2 packed;
layout(location = 12) out struct { vec2 a[2]; float b; } nested; // 12 to 14
out Block { layout(location = 20) vec4 c; layout(location = 17) vec4 d[2]; };
layout(location = 23) out Blocks { vec4 e; vec4 f; } blocks[3]; // 23 to 28
void main() {}
