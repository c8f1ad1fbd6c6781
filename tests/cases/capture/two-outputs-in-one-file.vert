#version 450
// Nothing that was asked for is lost.
// RUN: polyshade capture %s --varyings gl_Position -o %t.spv --variant both=%t.spv
// EXIT: 2
// CHECK: two outputs would be written to this file

void main() {
    gl_Position = vec4(1.0);
}
