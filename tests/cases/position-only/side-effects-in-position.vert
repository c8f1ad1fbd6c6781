#version 450
// The store stays in this variant and goes from the complement.
// RUN: polyshade position-only %s --side-effects in-position -o %t.position.spv --complement %t.spv
// CHECK: OpFunction
// CHECK-NOT: OpAtomicIAdd

layout(binding = 0) buffer Count { uint vertices; };
layout(location = 0) out float v;

void main() {
    atomicAdd(vertices, 1u);
    v = 1.0;
    gl_Position = vec4(0.0);
}
