// RUN: rewrite demote-to-private prologue block
// CHECK: 0 Flat
#version 450
struct Inner { int i; vec2 v; };
layout(location = 0) in Block { flat Inner inner; vec4 c; } block;
layout(location = 0) out vec4 colour;
void main() { Inner local = block.inner; colour = block.c * float(local.i); }
