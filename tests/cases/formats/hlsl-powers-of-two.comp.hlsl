// The exponent is a float, which SPIR-V's Ldexp does not take.
// RUN: polyshade convert %f -o %t.spvasm
// CHECK: Exp2
// CHECK: OpFMul
// CHECK-NOT: Ldexp

RWStructuredBuffer<float2> b : register(u0);

[numthreads(1, 1, 1)]
void main() { b[0] = ldexp(b[1], b[2]); }
