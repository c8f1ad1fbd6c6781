// A discard and what decides it stay.
// RUN: rewrite dce
// CHECK: OpFunctionCall
// CHECK: OpSelectionMerge
// CHECK: OpKill
#version 450
layout(location = 0) in vec4 x;
layout(location = 0) out vec4 v;
void gone(float y) { if (y < 0.5) discard; }
void main() { gone(x.x); v = vec4(1.0); }
