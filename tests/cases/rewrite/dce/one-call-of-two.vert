// RUN: rewrite dce
// KNOWN: what an unknown instruction stands in stays
// CHECK-NOT: OpVectorTimesScalar
// CHECK: OpFunctionCall
// CHECK-NOT: OpVectorTimesScalar
// CHECK-NOT: OpFunctionCall
#version 450
layout(location = 0) in vec4 x;
void add(inout vec4 y, vec4 z) { y += z; }
void main() { vec4 a = x; vec4 b = x; add(a, x); add(b, x * 3.0); add(b, a); gl_Position = a; }
