// RUN: rewrite storage-buffer 2 5 words
// Version: 1.2
// CHECK-NOT: "main" %words
// CHECK: ArrayStride 4
// CHECK: OpDecorate %polyshade_words BufferBlock
// CHECK: %words = OpVariable %_ptr_Uniform_polyshade_words Uniform
#version 450
void main() {}
