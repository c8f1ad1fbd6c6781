#version 450
// Members of an array of blocks are copied: its decorations would send each element to a buffer of its own.
// RUN: polyshade capture %s --path extension --varyings Block[0].a,Block[1].a -o %t.spv
// CHECK: OpDecorate %polyshade_captured_0_0 Location 4
// CHECK: OpDecorate %polyshade_captured_0_4 Location 5
layout(location = 0) out Block { vec4 a; vec2 b; } blocks[2];

void main() {
    blocks[0].a = blocks[1].a = vec4(1.0);
    blocks[0].b = blocks[1].b = vec2(2.0);
    gl_Position = vec4(0.0);
}
