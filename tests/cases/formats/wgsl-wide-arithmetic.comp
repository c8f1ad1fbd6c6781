#version 450
// Sums with a carry and products of 64 bits, which WGSL has not.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: select(0u, 1u, (_e24 < _e21))
// CHECK: >> bitcast<u32>(16u)
// CHECK: select(vec2<i32>(0i, 0i), _e

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { uint u; uint v; ivec2 i; } b;

void main() {
    uint carry, high, low;
    b.u = uaddCarry(b.u, b.v, carry);
    umulExtended(b.u, carry, high, low);
    b.v = high - low;
    ivec2 upper, lower;
    imulExtended(b.i, b.i.yx, upper, lower);
    b.i = upper + lower;
}
