#version 450
// The full shader captures: the variant is not decorated for it.
// RUN: polyshade position-only %s -o %t.spv
// CHECK: OpFunction
// CHECK-NOT: Xfb
// CHECK-NOT: v_captured

layout(location = 0) in vec4 place;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 v_captured;

void main() {
    v_captured = place * 2.0;
    gl_Position = place;
}
