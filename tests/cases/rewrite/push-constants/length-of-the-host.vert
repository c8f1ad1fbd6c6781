// RUN: rewrite push-constants 64 host first second
// EXIT: 3
// CHECK: the size of the push constants is not known
// CHECK: about: PC.
#version 450
layout(constant_id = 0) const int N = 2;
layout(push_constant) uniform PC { vec4 a[N]; } pc;
void main() { gl_Position = vec4(pc.a[0].x); }
