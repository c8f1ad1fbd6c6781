// RUN: rewrite demote-to-private prologue x
// CHECK: OpDecorate %x_interface Location 3
// CHECK: OpLoad %v4int %x_interface
// CHECK: OpStore %x %
// CHECK: OpFunctionCall %void %main_body
#version 450
layout(location = 3) flat in ivec4 x;
layout(location = 0) out vec4 v;
void main() { v = vec4(x[1]); }
