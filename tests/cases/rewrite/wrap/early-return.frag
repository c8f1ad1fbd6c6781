// The wrapper has the id and the modes of the entry point, and the body is as it was.
// RUN: rewrite wrap
// CHECK: %main_body = OpFunction
// CHECK: %main = OpFunction
// CHECK: OpStore %counter %uint_1
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpStore %counter %uint_2
// CHECK: OpReturn
#version 450
layout(location = 0) out float v;
void main() { if (gl_FragCoord.x < 1.0) { return; } v = gl_FragCoord.y; }
