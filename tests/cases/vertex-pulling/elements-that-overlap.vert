#version 450
// Elements overlap only where that is said.
// RUN: polyshade vertex-pulling %s --attribute 0=0:4:r32g32_sfloat --buffer 0=8 -o %t.spv
// EXIT: 2
// CHECK: attribute 0 ends 4 bytes beyond the stride of vertex buffer 0
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
