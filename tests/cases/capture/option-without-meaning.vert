#version 450
// An option that nothing reads was meant for something else.
// RUN: polyshade capture %s --varyings gl_Position --host-offset 64 -o %t.spv
// EXIT: 2
// CHECK: --host-offset has no meaning

void main() {
    gl_Position = vec4(1.0);
}
