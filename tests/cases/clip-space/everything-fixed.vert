#version 450
// RUN: polyshade clip-space %s --flip-y on --rotate 90 -o %t.spv
// CHECK: OpFAdd
// CHECK: OpFNegate
// CHECK: OpFNegate
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
