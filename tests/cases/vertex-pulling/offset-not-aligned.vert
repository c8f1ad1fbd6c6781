#version 450
// An offset is a multiple of what the format needs.
// RUN: polyshade vertex-pulling %s --attribute 0=0:2:r32_sfloat --buffer 0=8 -o %t.spv
// EXIT: 2
// CHECK: the offset of attribute 0 is not a multiple of 4, as r32_sfloat requires
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
