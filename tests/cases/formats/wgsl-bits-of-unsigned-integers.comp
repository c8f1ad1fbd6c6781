#version 450
// The result is signed whatever the operand is, and in WGSL as the operand is.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: countOneBits(bitcast<i32>(_e8)) + bitcast<i32>(firstLeadingBit(_e12))) + firstTrailingBit(bitcast<i32>(_e17))
// CHECK: bitcast<vec2<i32>>(firstLeadingBit(

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { uint u; int i; uvec2 v; ivec2 w; } b;

void main() {
    b.i = bitCount(b.u) + findMSB(b.u) + findLSB(b.u);
    b.w = findMSB(b.v);
}
