// RUN: rewrite dce
// CHECK: OpAtomicIAdd
#version 450
layout(location = 0) out vec4 v;
layout(binding = 0) buffer B { uint n; };
void main() { atomicAdd(n, 1u); v = vec4(1.0); }
