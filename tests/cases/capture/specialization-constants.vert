#version 450
// The host parameters can be specialization constants: a pipeline for each draw.
// RUN: polyshade capture %s --varyings gl_Position --params specialization=40 -o %t.spv
// CHECK: OpDecorate %topology SpecId 40
// CHECK: OpDecorate %counter_0 SpecId 47

void main() {
    gl_Position = vec4(1.0);
}
