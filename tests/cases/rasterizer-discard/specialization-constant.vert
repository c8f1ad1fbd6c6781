#version 450
// The position goes outside where the constant says so.
// RUN: polyshade rasterizer-discard %s --when specialization=3 -o %t.spv
// CHECK: OpDecorate %rasterizer_discard SpecId 3
// CHECK: OpConstant %float -3
// CHECK: OpSelect %v4float
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
