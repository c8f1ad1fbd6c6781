#version 450
// A buffer that no attribute is in is a mistake.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4,2=8 -o %t.spv
// EXIT: 2
// CHECK: no attribute is in vertex buffer 2
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
