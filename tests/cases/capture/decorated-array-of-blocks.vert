#version 450
// Element e of an array of blocks goes to buffer xfb_buffer + e.
// RUN: polyshade capture %s -o %t.spv
// CHECK: OpName %polyshade_feedback_1
// CHECK: OpName %polyshade_feedback_2
// CHECK-NOT: OpName %polyshade_feedback_3

layout(location = 0, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 20) out Block {
    vec4 colour;
    float weight;
} blocks[2];

void main() {
    blocks[0].colour = vec4(1.0);
    blocks[0].weight = 2.0;
    blocks[1].colour = vec4(3.0);
    blocks[1].weight = 4.0;
    gl_Position = vec4(0.0);
}
