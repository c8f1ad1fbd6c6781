#version 450
// No unsigned number is above the largest: the loop never ends.
// RUN: polyshade position-only %s -o %t.spv
// KNOWN: unknown instructions keep alive the sum that they stand beside
// CHECK: OpLoopMerge

layout(location = 0) in vec4 place;
layout(location = 0) out float v_sum;

void main() {
    float sum = 0.0;
    for (uint i = 0u; i <= 0xffffffffu; ++i) {
        sum += 1.0;
    }
    v_sum = sum;
    gl_Position = place;
}
