#version 450
// Strides have 16 bits.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r32_sfloat --buffer 0=65536 -o %t.spv
// EXIT: 2
// CHECK: the stride of vertex buffer 0 is more than 65535
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
