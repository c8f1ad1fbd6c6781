// HLSL's remainders have the sign of the dividend, of floats too.
// RUN: polyshade convert %f -o %t.spvasm
// CHECK: OpFRem
// CHECK: OpFRem
// CHECK: OpSRem
// CHECK-NOT: Mod

RWStructuredBuffer<float> b : register(u0);
RWStructuredBuffer<int> i : register(u1);

[numthreads(1, 1, 1)]
void main() {
    b[1] = fmod(b[0], 3.0);
    b[2] = b[0] % 3.0;
    i[1] = i[0] % 3;
}
