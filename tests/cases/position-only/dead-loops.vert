#version 450
// Loops that end for sure go where nothing in them is live.
// RUN: polyshade position-only %s -o %t.spv
// KNOWN: unknown instructions keep alive the loops that they stand in
// CHECK: OpFunction
// CHECK-NOT: OpLoopMerge

layout(location = 0) in vec4 place;
layout(location = 0) out float v_sum;
layout(binding = 0) uniform Block { int count; };

void main() {
    float sum = 0.0;
    for (int i = 0; i < count; ++i) {
        for (int k = 15; k >= 0; k -= 3) {
            sum += place.x;
        }
    }
    int n = 9;
    while (n != 0) {
        sum *= 2.0;
        n--;
    }
    v_sum = sum;
    gl_Position = place;
}
