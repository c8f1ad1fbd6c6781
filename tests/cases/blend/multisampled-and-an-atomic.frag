#version 450
// RUN: polyshade blend %s --equations multiply --multisampled -o %t.spv
// EXIT: 3
// CHECK: cannot run the shader for each sample: it has its own stores to memory

layout(set = 0, binding = 0) buffer Counter { uint count; };
layout(location = 0) out vec4 colour;

void main() {
    atomicAdd(count, 1u);
    colour = vec4(0.5);
}
