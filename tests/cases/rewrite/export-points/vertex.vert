// RUN: rewrite export-points
// CHECK: OpDecorate %mark Location 9
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpStore %mark %uint_1
// CHECK-NOT: OpStore %mark
// CHECK: OpFunctionEnd
#version 450
void main() { gl_Position = vec4(1); if (gl_VertexIndex > 1) return; }
