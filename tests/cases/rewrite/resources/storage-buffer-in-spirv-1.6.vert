// RUN: rewrite storage-buffer 2 5 words
// Version: 1.6
// CHECK: "main" %words
// CHECK: ArrayStride 4
// CHECK: OpDecorate %polyshade_words Block
// CHECK: %words = OpVariable %_ptr_StorageBuffer_polyshade_words StorageBuffer
#version 450
void main() {}
