#version 450
// A tessellation evaluation stage is reduced.
// RUN: polyshade position-only %s -o %t.spv
// CHECK: OpEntryPoint TessellationEvaluation
// CHECK-NOT: v_colour
// CHECK: TessCoord

layout(triangles) in;
layout(location = 0) in vec4 colour[];
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = colour[0] * gl_TessCoord.x;
    gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position;
}
