#version 450
// An option that nothing reads was meant for something else.
// RUN: polyshade capture %s --varyings gl_Position --limits-of vulkan -o %t.spv
// EXIT: 2
// CHECK: --limits-of has no meaning with --path storage

void main() {
    gl_Position = vec4(1.0);
}
