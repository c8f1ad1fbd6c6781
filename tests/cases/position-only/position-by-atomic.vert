#version 450
// The position needs the atomic that goes.
// RUN: polyshade position-only %s --side-effects in-complement -o %t.spv
// EXIT: 3
// CHECK: needs the result of an atomic

layout(binding = 0) buffer Count { uint vertices; };

void main() {
    gl_Position = vec4(atomicAdd(vertices, 1u));
}
