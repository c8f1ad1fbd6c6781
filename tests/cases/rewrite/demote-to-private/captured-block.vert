// Decorations of transform feedback go along.
// RUN: rewrite demote-to-private epilogue block
// CHECK: 0 Offset 0
// CHECK: 1 Offset 16
#version 450
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32) out Block { vec4 a; vec4 b; } block;
void main() { block.a = vec4(1.0); }
