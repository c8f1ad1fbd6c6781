#version 450
// Signed integers are read, combined and written as such.
// RUN: polyshade blend %s --logic-op xor --attachment-format R16G16_SINT -o %t.spv
// CHECK: OpTypeImage %int SubpassData
// CHECK: OpImageRead %v4int
// CHECK: OpFunctionCall %v4uint %polyshade_combine_target
// CHECK: OpStore %numbers_interface

layout(location = 0) out ivec2 numbers;

void main() {
    numbers = ivec2(gl_FragCoord.xy) - 7;
}
