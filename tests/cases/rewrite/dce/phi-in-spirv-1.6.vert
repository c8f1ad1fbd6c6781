// A phi keeps the branches that it comes from.
// RUN: rewrite dce
// Version: 1.6
// KNOWN: what an unknown instruction stands in stays
// CHECK: OpSelectionMerge
// CHECK: OpPhi
// CHECK-NOT: OpPhi
// CHECK: OpSelectionMerge
// CHECK-NOT: OpPhi
// CHECK-NOT: OpSelectionMerge
#version 450
layout(location = 0) in vec4 x;
void main() { bool b = x.x > 0.0 && x.y > 1.0; bool c = x.z > 0.0 || x.w > 1.0; gl_Position = b ? x : -x; }
