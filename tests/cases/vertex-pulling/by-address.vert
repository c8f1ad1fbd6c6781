#version 450
// Buffers and words are found by one address in push constants: nothing is bound.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r16g16_sfloat,1=5:4:r32_uint --buffer 0=4,5=8:instance/2 --params address:push-constant=8 -o %t.spv
// CHECK: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// CHECK-NOT: DescriptorSet
layout(location = 0) in vec2 a_position;
layout(location = 1) in uint a_number;
layout(push_constant) uniform Push { vec2 offset; } push;
layout(location = 0) flat out uint v_number;

void main() {
    v_number = a_number;
    gl_Position = vec4(a_position + push.offset, 0.0, 1.0);
}
