#version 450
// A geometry stage copies before each vertex of the stream that it is a copy for.
// RUN: polyshade capture %s --path extension --varyings g_list[1],gl_NextBuffer,g_other[0] -o %t.spv
// CHECK: OpCapability GeometryStreams
// CHECK: OpDecorate %polyshade_captured_1_0 Stream 1
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmitStreamVertex %int_0
// CHECK-NOT: OpFunctionCall
// CHECK: OpFunctionCall %void %polyshade_hand_on_0
// CHECK: OpEmitStreamVertex %int_1
layout(points) in;
layout(points, max_vertices = 2) out;
layout(location = 0, stream = 0) out vec2 g_list[2];
layout(location = 2, stream = 1) out vec3 g_other[2];

void main() {
    g_list[0] = g_list[1] = vec2(1.0);
    gl_Position = vec4(0.0);
    EmitStreamVertex(0);
    g_other[0] = g_other[1] = vec3(2.0);
    EmitStreamVertex(1);
}
