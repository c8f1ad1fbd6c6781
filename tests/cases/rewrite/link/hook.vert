// RUN: rewrite link diamond top instead-of base
// CHECK: OpFunctionCall %float %hook
// CHECK: OpFunctionCall %float %hook
#version 450
layout(location = 0) in float x;
layout(location = 0) out float v;
void main() { v = sin(x) * 2.0; }
