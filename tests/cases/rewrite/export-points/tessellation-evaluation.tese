// RUN: rewrite export-points 0
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpStore %mark %uint_1
// CHECK-NOT: OpStore %mark
// CHECK: OpFunctionEnd
#version 450
layout(quads) in;
void main() { gl_Position = vec4(1); }
