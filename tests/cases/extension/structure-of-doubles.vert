#version 450
// Where a structure with 64 bits in another one is captured drivers may disagree about: it is copied. What they all capture
// alike is decorated.
// RUN: polyshade capture %s --path extension --varyings o.x,o.s.f,o.s.d,o.y,gl_SkipComponents1,gl_NextBuffer,plain.x,plain.y,plain.s.d,plain.s.f,plain.s.g -o %t.spv
// CHECK-NOT: OpDecorate %o Offset
// CHECK: OpDecorate %plain Offset 0
// CHECK: OpDecorate %polyshade_captured_0_0 Offset 0
// CHECK: OpDecorate %polyshade_captured_0_4 Offset 16
struct Inner { float f; double d; };
struct Outer { float x; Inner s; float y; };
layout(location = 0) flat out Outer o;

struct Pair { double d; float f; float g; };
struct Plain { float x; float y; Pair s; };
layout(location = 5) flat out Plain plain;

void main() {
    o = Outer(1.0, Inner(2.0, 3.0lf), 4.0);
    plain = Plain(1.0, 2.0, Pair(3.0lf, 4.0, 5.0));
    gl_Position = vec4(0.0);
}
