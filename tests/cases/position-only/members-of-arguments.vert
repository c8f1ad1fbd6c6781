#version 450
// Of what is passed by its address only the members that are read are stored.
// RUN: polyshade position-only %s -o %t.spv
// CHECK-NOT: a_colour

layout(location = 0) in vec4 a_place;
layout(location = 1) in vec4 a_colour;
layout(location = 0) out vec4 v_colour;
struct All { vec4 place; vec4 colour; };
vec4 colour;
vec4 use(inout All all) {
    colour = all.colour;
    return all.place;
}
void main() {
    All all;
    all.place = a_place;
    all.colour = a_colour;
    gl_Position = use(all);
    v_colour = colour;
}
