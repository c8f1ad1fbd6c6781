#version 450
// The shader runs for each sample as it is, so nothing changes for its mask and its atomics.
// RUN: polyshade blend %s --equations multiply --multisampled -o %t.spv
// CHECK: OpAtomicIAdd

layout(set = 0, binding = 0) buffer Counter { uint count; };
layout(location = 0) sample in vec4 tint;
layout(location = 0) out vec4 colour;

void main() {
    atomicAdd(count, uint(gl_SampleMaskIn[0]));
    colour = tint;
}
