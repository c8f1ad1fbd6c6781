#version 450
// The store goes from this variant, and the buffer with it.
// RUN: polyshade position-only %s --side-effects in-complement -o %t.spv
// CHECK: OpFunction
// CHECK-NOT: OpAtomicIAdd
// CHECK-NOT: StorageBuffer

layout(binding = 0) buffer Count { uint vertices; };

void main() {
    atomicAdd(vertices, 1u);
    gl_Position = vec4(0.0);
}
