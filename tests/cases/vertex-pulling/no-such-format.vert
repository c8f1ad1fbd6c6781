#version 450
// Formats are Vulkan's.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r8g16_unorm --buffer 0=4 -o %t.spv
// EXIT: 2
// CHECK: `r8g16_unorm` is not a vertex format
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
