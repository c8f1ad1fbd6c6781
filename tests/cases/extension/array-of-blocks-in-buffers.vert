#version 450
// Where every element of an array of blocks goes to the buffer behind the one before, its members are decorated.
// RUN: polyshade capture %s --path extension --varyings Block[0].b,gl_NextBuffer,Block[1].b -o %t.spv
// CHECK: OpDecorate %blocks XfbBuffer 0
// CHECK: OpMemberDecorate %Block 1 Offset 0
// CHECK-NOT: polyshade_captured
layout(location = 0) out Block { vec4 a; vec2 b; } blocks[2];

void main() {
    blocks[0].a = blocks[1].a = vec4(1.0);
    blocks[0].b = blocks[1].b = vec2(2.0);
    gl_Position = vec4(0.0);
}
