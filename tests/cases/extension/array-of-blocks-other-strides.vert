#version 450
// One stride is said for all buffers of an array of blocks: where they differ, members are copied.
// RUN: polyshade capture %s --path extension --varyings Block[0].b,gl_NextBuffer,Block[1].b,gl_SkipComponents1 -o %t.spv
// CHECK: OpDecorate %polyshade_captured_0_0 XfbStride 8
// CHECK: OpDecorate %polyshade_captured_1_0 XfbStride 12
layout(location = 0) out Block { vec4 a; vec2 b; } blocks[2];

void main() {
    blocks[0].a = blocks[1].a = vec4(1.0);
    blocks[0].b = blocks[1].b = vec2(2.0);
    gl_Position = vec4(0.0);
}
