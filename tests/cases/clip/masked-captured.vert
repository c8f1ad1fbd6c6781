#version 450
// RUN: polyshade clip %s --enable 1 --keep-original-at 2 -o %t.spv
// CHECK: OpDecorate %polyshade_as_written_0 Location 2
// CHECK: OpDecorate %polyshade_as_written_0 XfbBuffer 1
// CHECK: OpDecorate %polyshade_as_written_0 Offset 4

layout(xfb_buffer = 1) out gl_PerVertex {
    vec4 gl_Position;
    layout(xfb_offset = 4) float gl_ClipDistance[1];
};
void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = 1.0;
}
