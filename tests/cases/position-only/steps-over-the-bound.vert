#version 450
// A step of four may jump over the bound, at the end of the numbers.
// RUN: polyshade position-only %s -o %t.spv
// KNOWN: unknown instructions keep alive the sum that they stand beside
// CHECK: OpLoopMerge

layout(location = 0) in vec4 place;
layout(location = 0) out float v_sum;
layout(binding = 0) uniform Block { int count; };

void main() {
    float sum = 0.0;
    for (int i = 0; i < count; i += 4) {
        sum += 1.0;
    }
    v_sum = sum;
    gl_Position = place;
}
