#version 450
// Sums with a carry and products of 64 bits, which HLSL has not.
// RUN: polyshade convert %s -o %t.hlsl
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: >> 16u
// CHECK-NOT: Extended
// CHECK-NOT: Carry

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { uint u; uint v; } b;

void main() {
    uint carry, high, low;
    b.u = uaddCarry(b.u, b.v, carry);
    umulExtended(b.u, carry, high, low);
    b.v = high - low;
}
