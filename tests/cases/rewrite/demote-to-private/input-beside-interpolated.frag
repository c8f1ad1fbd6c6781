// What the function points to stays.
// RUN: rewrite demote-to-private alone y
// CHECK: %y = OpVariable %_ptr_Private_v4float Private
#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 0) out vec4 v;
void main() { v = interpolateAtOffset(x, vec2(0.1)) + interpolateAtCentroid(x.y) + y; }
