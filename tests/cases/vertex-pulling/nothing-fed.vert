#version 450
// Without any attribute nothing is fetched, and nothing is bound.
// RUN: polyshade vertex-pulling %s -o %t.spv
// CHECK-NOT: DescriptorSet
// CHECK: OpStore %a_position
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
