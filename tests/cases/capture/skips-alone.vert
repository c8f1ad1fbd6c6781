#version 450
// A buffer of nothing but skips captures nothing: nothing is bound for it.
// RUN: polyshade capture %s --varyings gl_SkipComponents4,gl_NextBuffer,gl_Position -o %t.spv
// CHECK-NOT: polyshade_feedback_0
// CHECK: OpDecorate %polyshade_feedback_1 Binding 1

void main() {
    gl_Position = vec4(0.0);
}
