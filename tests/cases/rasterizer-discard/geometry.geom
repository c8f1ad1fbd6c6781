#version 450
// RUN: polyshade rasterizer-discard %s --when specialization=3 -o %t.spv
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmitVertex
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmitVertex
// CHECK: %polyshade_hand_on = OpFunction
// CHECK: OpFunctionCall %v4float %discard_position
layout(points) in;
layout(points, max_vertices = 2) out;

void main() {
    gl_Position = gl_in[0].gl_Position;
    EmitVertex();
    gl_Position = vec4(1.0);
    EmitVertex();
}
