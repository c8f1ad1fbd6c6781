#version 450
// The address takes the location of an input that is fetched by it.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r32g32_sfloat --buffer 0=8 --params address:attribute=0 -o %t.spv
// CHECK: OpDecorate %polyshade_vertex_input Location 0
// CHECK-NOT: DescriptorSet
// CHECK: OpVariable %_ptr_Private_v2float Private
layout(location = 0) in vec2 a_position;

void main() {
    gl_Position = vec4(a_position, 0.0, 1.0);
}
