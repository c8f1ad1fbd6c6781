#version 450
// What is captured of the block beside the position stays as it is.
// RUN: polyshade clip-space %s -o %t.spv
// CHECK: OpMemberDecorate %gl_PerVertex 1 Offset 0
// CHECK-NOT: polyshade_position
out gl_PerVertex {
    vec4 gl_Position;
    layout(xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0) float gl_PointSize;
};

void main() {
    gl_Position = vec4(1.0);
    gl_PointSize = 2.0;
}
