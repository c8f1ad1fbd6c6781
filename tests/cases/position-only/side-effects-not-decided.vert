#version 450
// A store would happen in both runs.
// RUN: polyshade position-only %s -o %t.spv
// EXIT: 3
// CHECK: both runs would execute them

layout(binding = 0) buffer Count { uint vertices; };

void main() {
    atomicAdd(vertices, 1u);
    gl_Position = vec4(0.0);
}
