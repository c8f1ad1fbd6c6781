// RUN: rewrite dce refuse-effects
// EXIT: 3
// CHECK: the shader has its own stores to memory, and both runs would execute them
// CHECK: about: %16.
// CHECK: at: %16 = OpAtomicIAdd %uint %13 %uint_1 %uint_0 %uint_1
#version 450
layout(location = 0) out vec4 v;
layout(binding = 0) buffer B { uint n; };
void main() { atomicAdd(n, 1u); v = vec4(1.0); }
