// RUN: rewrite storage-buffer 0 0 a b
// CHECK: OpDecorate %a Binding 0
// CHECK: OpDecorate %b Binding 1
// CHECK: %a = OpVariable %_ptr_Uniform_polyshade_words
// CHECK: %b = OpVariable %_ptr_Uniform_polyshade_words
#version 450
void main() {}
