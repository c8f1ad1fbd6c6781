#version 450
// Arithmetic that decides what is kept is not contracted, and other arithmetic may be.
// RUN: polyshade position-only %s --invariant --precise --full %t.full.spv -o %t.spv
// CHECK: Invariant
// CHECK: NoContraction
// CHECK-NOT: NoContraction
// CHECK: OpFunction

layout(location = 0) in vec4 a_place;
layout(location = 1) in vec4 a_colour;
layout(location = 0) out vec4 v_colour;
void main() {
    gl_Position = a_place * 2.0;
    v_colour = a_colour * 3.0;
}
