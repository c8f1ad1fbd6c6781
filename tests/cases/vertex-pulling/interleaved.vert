#version 450
// Two attributes of one buffer: words of three floats are read as they are, bytes are gathered from anywhere.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r32g32b32_sfloat,1=0:12:r8g8b8a8_unorm --buffer 0=16 -o %t.spv
// CHECK: OpDecorate %polyshade_vertex_buffer_0 NonWritable
// CHECK: OpFunctionCall %uint %any_word
// CHECK: OpFunctionCall %uint %from_unorm
// CHECK: OpFunctionCall %uint %aligned_word
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec4 a_colour;
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = a_colour;
    gl_Position = vec4(a_position, 1.0);
}
