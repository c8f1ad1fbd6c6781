#version 450
// What is drawn as a loop runs its first vertex again and again.
// RUN: polyshade capture %s --varyings v_colour --topologies line-loop,triangle-fan -o %t.spv --variant both=%t.both.spv
// EXIT: 3
// CHECK: fans and line loops are captured by a point list

layout(location = 0) in vec4 position;
layout(location = 0) out vec3 v_colour;

void main() {
    v_colour = position.xyz * 2.0;
    gl_Position = position;
}
