#version 450
// In a geometry stage the position is converted before each vertex that is rasterized, and as it was behind it.
// RUN: polyshade clip-space %s -o %t.spv
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmitStreamVertex %int_0
// CHECK: OpFunctionCall %void %polyshade_take_back
// CHECK-NOT: OpFunctionCall
// CHECK: OpEmitStreamVertex %int_1
// CHECK: %polyshade_hand_on = OpFunction
// CHECK: OpFunctionCall %v4float %convert_position
// CHECK: OpStore
// CHECK: %polyshade_take_back = OpFunction
// CHECK: OpStore
layout(points) in;
layout(points, max_vertices = 2) out;
layout(stream = 1, location = 0) out vec2 g_other;

void main() {
    gl_Position = gl_in[0].gl_Position;
    EmitStreamVertex(0);
    g_other = vec2(1.0);
    EmitStreamVertex(1);
}
