#version 450
// A tessellation evaluation stage copies behind its body, like a vertex stage.
// RUN: polyshade capture %s --path extension --varyings gl_Position,e_list[1] -o %t.spv
// CHECK: OpEntryPoint TessellationEvaluation
// CHECK: OpExecutionMode %main Xfb
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpStore %polyshade_captured_0_4
layout(quads) in;
layout(location = 0) out vec2 e_list[2];

void main() {
    e_list[0] = gl_TessCoord.xy;
    e_list[1] = gl_TessCoord.yx;
    gl_Position = vec4(0.0);
}
