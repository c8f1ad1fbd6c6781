#version 450
// Elements overlap where that is said.
// RUN: polyshade vertex-pulling %s --attribute 0=0:4:r32g32_sfloat --buffer 0=8 --access-beyond-stride -o %t.spv
// CHECK: OpFunctionCall %uint %aligned_word
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
