#version 450
// A stride is a multiple of what the format needs.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r32_sfloat --buffer 0=6 -o %t.spv
// EXIT: 2
// CHECK: the stride of vertex buffer 0 is not a multiple of 4, as r32_sfloat of attribute 0 requires
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
