#version 450
// Without --varyings the shader's own qualifiers say what is captured: here a gap, a member, and buffer 2 alone.
// RUN: polyshade capture %s -o %t.spv
// CHECK: OpName %polyshade_feedback_0
// CHECK-NOT: OpName %polyshade_feedback_1
// CHECK: OpName %polyshade_feedback_2
// CHECK-NOT: OpExecutionMode %main Xfb

layout(location = 0, xfb_buffer = 0, xfb_offset = 8, xfb_stride = 24) out vec4 v_colour;
layout(location = 1, xfb_buffer = 2, xfb_stride = 16) out Block {
    float ignored;
    layout(xfb_offset = 4) vec2 place;
};

void main() {
    v_colour = vec4(1.0);
    ignored = 1.0;
    place = vec2(2.0);
    gl_Position = vec4(0.0);
}
