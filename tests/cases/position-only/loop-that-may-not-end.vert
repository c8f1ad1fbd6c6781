#version 450
// Whether the position is written depends on whether the loop ends.
// RUN: polyshade position-only %s -o %t.spv
// CHECK: OpLoopMerge
// CHECK-NOT: OpLoopMerge

layout(location = 0) in vec4 place;
layout(location = 0) out float v_sum;

void main() {
    float x = place.x;
    while (x != 1.0) {
        x = x * 0.5 + 0.5;
    }
    v_sum = x;
    gl_Position = place;
}
