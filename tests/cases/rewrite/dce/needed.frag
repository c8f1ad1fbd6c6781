// What outputs and effects need stays as it is.
// RUN: rewrite dce
// CHECK: OpFunctionCall %v4float %twice_vf4_
// CHECK: OpSelectionMerge
#version 450
layout(location = 0) in vec4 x;
layout(location = 0) out vec4 v;
layout(binding = 0) buffer B { float s[]; };
vec4 twice(vec4 y) { return y * 2.0; }
void main() { v = twice(x); if (x.x > 0.0) s[1] = x.y; }
