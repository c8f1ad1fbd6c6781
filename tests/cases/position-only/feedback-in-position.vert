#version 450
// The variant captures, and keeps what is captured.
// RUN: polyshade position-only %s --feedback position -o %t.spv
// CHECK: OpExecutionMode %main Xfb
// CHECK: v_captured
// CHECK-NOT: v_other

layout(location = 0) in vec4 place;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 v_captured;
layout(location = 1) out vec4 v_other;

void main() {
    v_captured = place * 2.0;
    v_other = place * 3.0;
    gl_Position = place;
}
