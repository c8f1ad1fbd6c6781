// RUN: rewrite storage-buffer 0 7 first and uniform-block 0 7 second a
// EXIT: 2
// CHECK: binding 7 of set 0 is added twice
// CHECK: about: %10.
#version 450
void main() {}
