#version 450
// The second source becomes a factor, and is no output any more.
// RUN: polyshade blend %s --blend one,one-minus-src1-color -o %t.spv
// CHECK-NOT: Index 1
// CHECK: OpVariable %_ptr_Private_v4float Private
// CHECK: %main = OpFunction
// CHECK: OpLoad %v4float %factor
// CHECK: OpFunctionCall %v4float %polyshade_blend_target
// CHECK: OpStore %colour_interface
// CHECK-NOT: OpStore %factor_interface

layout(location = 0, index = 0) out vec4 colour;
layout(location = 0, index = 1) out vec4 factor;

void main() {
    colour = vec4(0.5);
    factor = vec4(0.25);
}
