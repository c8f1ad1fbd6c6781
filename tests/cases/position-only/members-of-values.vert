#version 450
// What one member of a result is made of stays, and what all others are made of goes.
// RUN: polyshade position-only %s -o %t.spv
// CHECK-NOT: a_colour
// CHECK: OpUndef
// CHECK-NOT: Sin
// CHECK: OpCompositeConstruct

layout(location = 0) in vec4 a_place;
layout(location = 1) in vec4 a_colour;
layout(location = 0) out vec4 v_colour;
layout(location = 1) out vec4 v_light;
struct All { vec4 place; vec4 colour; vec4 light; };
All make(vec4 place, float angle) {
    vec4 light = sin(a_colour * angle);
    All all = All(place * 2.0, a_colour, light);
    all.light += 1.0;
    return all;
}
void main() {
    All all = make(a_place, a_colour.x);
    gl_Position = all.place;
    v_colour = all.colour;
    v_light = all.light;
}
