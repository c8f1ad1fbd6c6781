#version 450
// A format has the numbers that the shader reads (VUID-VkGraphicsPipelineCreateInfo-Input-08733).
// RUN: polyshade vertex-pulling %s --attribute 2=0:0:r8g8b8a8_unorm --buffer 0=4 -o %t.spv
// EXIT: 2
// CHECK: the shader reads location 2 as unsigned integers of 32 bits, not as r8g8b8a8_unorm
layout(location = 2) in uvec4 a_numbers;

void main() {
    gl_Position = vec4(a_numbers);
}
