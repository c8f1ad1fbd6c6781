#version 450
// A position that the extension captures is captured from a copy of what the shader wrote.
// RUN: polyshade clip-space %s -o %t.spv
// CHECK: OpMemberDecorate %gl_PerVertex 1 Offset 16
// CHECK-NOT: OpMemberDecorate %gl_PerVertex 0 Offset
// CHECK: OpDecorate %polyshade_position Location 1
// CHECK: OpDecorate %polyshade_position XfbBuffer 0
// CHECK: OpDecorate %polyshade_position XfbStride 20
// CHECK: OpDecorate %polyshade_position Offset 0
// CHECK: OpStore %polyshade_position
// CHECK: OpFunctionCall %v4float %convert_position
layout(location = 0) out vec4 v_colour;
out gl_PerVertex {
    layout(xfb_buffer = 0, xfb_stride = 20, xfb_offset = 0) vec4 gl_Position;
    layout(xfb_offset = 16) float gl_PointSize;
};

void main() {
    gl_Position = v_colour = vec4(1.0);
    gl_PointSize = 2.0;
}
