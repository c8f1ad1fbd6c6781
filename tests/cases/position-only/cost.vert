#version 450
// What the variants cost, for a person.
// RUN: polyshade position-only %s --dry-run
// CHECK: original position only complement
// CHECK: input, bytes a vertex 32 16 16
// CHECK: % of the instructions of the original

layout(location = 0) in vec4 place;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = colour * 2.0;
    gl_Position = place;
}
