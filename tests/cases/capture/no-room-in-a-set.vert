#version 450
// A set that is reserved as a whole has no room.
// RUN: polyshade capture %s --varyings gl_Position --set 1 --reserve 1 -o %t.spv
// EXIT: 2
// CHECK: no bindings are free for feedback buffers in set 1

void main() {
    gl_Position = vec4(0.0);
}
