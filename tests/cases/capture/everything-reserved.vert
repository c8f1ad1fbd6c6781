#version 450
// There has to be room somewhere.
// RUN: polyshade capture %s --varyings gl_Position --reserve 0,1,2,3 -o %t.spv
// EXIT: 2
// CHECK: no bindings are free for feedback buffers in sets 0 to 3
// CHECK: give the descriptor set and the first binding

void main() {
    gl_Position = vec4(0.0);
}
