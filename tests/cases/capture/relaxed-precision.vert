#version 320 es
// What is captured is kept in 32 bits, whatever precision the output has.
// RUN: polyshade capture %s --varyings v,Block.w -o %t.spv
// CHECK-NOT: OpDecorate %v RelaxedPrecision
// CHECK-NOT: OpMemberDecorate %Block 0 RelaxedPrecision
layout(location = 0) in highp vec4 a;
layout(location = 0) out mediump vec4 v;
layout(location = 1) out Block { mediump vec4 w; } block;

void main() {
    v = a;
    block.w = a;
    gl_Position = a;
}
