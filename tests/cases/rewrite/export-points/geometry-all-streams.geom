// RUN: rewrite export-points
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmit
// CHECK: OpFunctionCall %void %polyshade_take_back
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmit
// CHECK: OpFunctionCall %void %polyshade_take_back
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmit
// CHECK: OpFunctionCall %void %polyshade_take_back
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmit
// CHECK: OpFunctionCall %void %polyshade_take_back
// CHECK: OpStore %mark %uint_1
// CHECK: OpStore %mark %uint_10
// CHECK: OpStore %mark %uint_11
#version 450
layout(points) in;
layout(points, max_vertices = 4) out;
layout(stream = 2, location = 0) out float other;
void last() { gl_Position = vec4(2); EmitStreamVertex(0); EmitStreamVertex(0); }
void main() {
    gl_Position = vec4(1);
    EmitVertex();
    other = 1.0;
    EmitStreamVertex(2);
    last();
}
