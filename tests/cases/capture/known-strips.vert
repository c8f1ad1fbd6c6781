#version 450
// Of strips the code is there for strips, and flags say which vertex is the provoking one.
// RUN: polyshade capture %s --varyings v_colour --topologies triangle-strip --limit-in-vertices -o %t.spv
// CHECK: OpName %slot_of_triangle_strip
// CHECK-NOT: OpSwitch

layout(location = 0) in vec4 position;
layout(location = 0) out vec3 v_colour;

void main() {
    v_colour = position.xyz * 2.0;
    gl_Position = position;
}
