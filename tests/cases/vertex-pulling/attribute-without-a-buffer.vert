#version 450
// An attribute is in a buffer.
// RUN: polyshade vertex-pulling %s --attribute 0=1:0:r8g8b8a8_unorm -o %t.spv
// EXIT: 2
// CHECK: attribute 0 is in vertex buffer 1, which is not described
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
