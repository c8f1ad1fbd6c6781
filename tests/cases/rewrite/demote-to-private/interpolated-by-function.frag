// RUN: rewrite demote-to-private alone x
// EXIT: 3
// CHECK: cannot demote the input to Private: an interpolation function reads it
// CHECK: about: x.
// CHECK: at: %15 = OpExtInst %v4float %1 InterpolateAtOffset %x %14
#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 0) out vec4 v;
void main() { v = interpolateAtOffset(x, vec2(0.1)) + interpolateAtCentroid(x.y) + y; }
