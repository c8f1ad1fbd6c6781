// A function that is only called as the intrinsic is.
// RUN: polyshade convert %f -o %t.spvasm
// CHECK: OpFunctionCall

RWStructuredBuffer<float4> b : register(u0);

float4 lit(float4 light) { return light * light; }

[numthreads(1, 1, 1)]
void main() { b[0] = lit(b[1]); }
