#version 450
// A call whose effect is dead goes, and its function; so does a parameter's value that nothing reads.
// RUN: polyshade position-only %s -o %t.spv
// KNOWN: unknown instructions keep alive the functions that they stand in
// CHECK: OpFunctionCall
// CHECK-NOT: OpFunctionCall
// CHECK-NOT: shade

layout(location = 0) in vec4 place;
layout(location = 0) out vec4 v_colour;

void shade(in vec4 x, out vec4 y) {
    y = x * x;
}

void move(inout vec4 x) {
    x.x += 1.0;
}

void main() {
    vec4 p = place;
    vec4 c;
    shade(place, c);
    move(p);
    move(c);
    v_colour = c;
    gl_Position = p;
}
