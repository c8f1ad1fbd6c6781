#version 450
// OpSMod has the sign of the divisor, and no number is too large for it.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK-NOT: floor
// CHECK: % 3i);
// CHECK: ^ 3i) < i32())), _e
// CHECK: < vec2<i32>())

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { int a; int c; ivec2 v; } b;

void main() {
    b.c = b.a % 3;
    b.v = b.v % ivec2(7, -2);
}
