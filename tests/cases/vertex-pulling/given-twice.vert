#version 450
// Nothing is said twice.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r32_sfloat,0=0:4:r32_sfloat --buffer 0=8 -o %t.spv
// EXIT: 2
// CHECK: attribute 0 is given twice
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
