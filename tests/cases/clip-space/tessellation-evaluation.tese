#version 450
// RUN: polyshade clip-space %s --flip-y on --range off -o %t.spv
// CHECK: OpEntryPoint TessellationEvaluation
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpFunctionCall %v4float %convert_position
layout(quads) in;

void main() {
    gl_Position = vec4(gl_TessCoord, 1.0);
}
