// What it calls is linked once and nothing else, and types, constants and imports are shared with the module.
// RUN: rewrite link diamond top
// CHECK-NOT: Cos
// CHECK: OpFunctionEnd
#version 450
layout(location = 0) in float x;
layout(location = 0) out float v;
void main() { v = sin(x) * 2.0; }
