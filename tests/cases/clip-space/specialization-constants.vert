#version 450
// Each part can wait for a specialization constant.
// RUN: polyshade clip-space %s --range specialization=7 --flip-y specialization=8 --rotate specialization=3 -o %t.spv
// CHECK: OpDecorate %convert_depth SpecId 7
// CHECK: OpDecorate %flip_y SpecId 8
// CHECK: OpDecorate %rotation SpecId 3
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
