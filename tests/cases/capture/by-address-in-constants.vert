#version 450
// An address in two specialization constants, the lower half first.
// RUN: polyshade capture %s --varyings v --params address:specialization=7 -o %t.spv
// CHECK: OpDecorate %address_low SpecId 7
// CHECK: OpDecorate %address_high SpecId 8

layout(location = 0) out float v;

void main() {
    v = float(gl_VertexIndex);
}
