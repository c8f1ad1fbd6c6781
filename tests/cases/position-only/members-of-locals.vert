#version 450
// Members and elements of local variables that nothing needs are not stored.
// RUN: polyshade position-only %s -o %t.spv
// CHECK: OpStore
// CHECK-NOT: OpFMul

layout(location = 0) in vec4 place;
layout(location = 0) out vec4 v_colour;

struct Both { vec4 place; vec4 colour[2]; };

void main() {
    Both both;
    both.place = place;
    both.colour[1] = place * 3.0;
    both.colour[0] = both.colour[1] * 2.0;
    v_colour = both.colour[0];
    gl_Position = both.place;
}
