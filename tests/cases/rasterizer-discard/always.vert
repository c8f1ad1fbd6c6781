#version 450
// Without a constant the position always goes outside.
// RUN: polyshade rasterizer-discard %s -o %t.spv
// CHECK: OpConstant %float -3
// CHECK-NOT: OpSelect
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
