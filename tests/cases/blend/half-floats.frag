#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// 16-bit colours are blended as 32-bit ones.
// RUN: polyshade blend %s --equations softlight --format-class float -o %t.spv
// CHECK: OpFConvert %float
// CHECK: OpFunctionCall %v4float %polyshade_blend_target
// CHECK: OpFConvert %half
// CHECK: OpStore %colour_interface

layout(location = 0) out f16vec4 colour;

void main() {
    colour = f16vec4(0.5);
}
