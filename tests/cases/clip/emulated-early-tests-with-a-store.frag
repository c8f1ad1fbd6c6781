#version 450
// RUN: polyshade clip %s --emulate 4 --signature 1,1 -o %t.spv
// EXIT: 3
// CHECK: has its own stores to memory

layout(early_fragment_tests) in;
layout(set = 0, binding = 0) buffer Counter { uint count; };
layout(location = 0) out vec4 colour;
void main() { atomicAdd(count, 1u); colour = vec4(1.0); }
