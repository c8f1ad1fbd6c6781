#version 450
// Straight-line code, of the factors and operations that are asked for and no other.
// RUN: polyshade blend %s --blend src-alpha,one-minus-src-alpha/one,one,max -o %t.spv
// CHECK-NOT: factor_dst
// CHECK: %main = OpFunction
// CHECK-NOT: OpBranch
// CHECK: OpFunctionCall %v4float %polyshade_blend_target
// CHECK: OpStore %colour_interface
// CHECK: OpFunctionCall %v4float %combine_add
// CHECK: OpFunctionCall %v4float %combine_max
// CHECK: OpFunctionCall %v4float %color_and_alpha

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
