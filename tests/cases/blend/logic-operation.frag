#version 450
// The bits of a format with 5, 6 and 5 bits.
// RUN: polyshade blend %s --logic-op and-inverted --attachment-format R5G6B5_UNORM_PACK16 -o %t.spv
// CHECK: OpConstant %uint 31
// CHECK: OpConstant %uint 63
// CHECK: OpFunctionCall %v4float %polyshade_combine_target
// CHECK: OpFunctionCall %v4uint %to_steps
// CHECK: OpFunctionCall %v4uint %logic_and_inverted
// CHECK: OpFunctionCall %v4float %from_steps

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
