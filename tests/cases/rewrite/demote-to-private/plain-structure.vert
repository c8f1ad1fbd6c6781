// A structure without decorations is copied whole.
// RUN: rewrite demote-to-private epilogue s
// CHECK: OpStore %s_interface
#version 450
struct S { vec4 a; float b; };
layout(location = 2) out S s;
void main() { S local = S(vec4(1.0), 2.0); s = local; s.b = 3.0; }
