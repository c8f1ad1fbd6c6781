#version 450
// Dynamic vertex input: the host says formats, offsets, strides and rates.
// RUN: polyshade vertex-pulling %s --attribute 0=0:word:word,1=1:word:word --buffer 0=word:word,1=word:word -o %t.spv
// CHECK: OpFunctionCall %uint %element_by_rate
// CHECK: OpFunctionCall %uint %size_of
// CHECK: OpFunctionCall %uint %any_component
layout(location = 0) in vec4 a_position;
layout(location = 1) in ivec2 a_numbers;
layout(location = 0) flat out ivec2 v_numbers;

void main() {
    v_numbers = a_numbers;
    gl_Position = a_position;
}
