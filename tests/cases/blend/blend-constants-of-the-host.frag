#version 450
// The words that select are followed by the blend constants.
// RUN: polyshade blend %s --target 0=multiply,screen --blend 1=constant-color,one-minus-constant-alpha --select push-constant=16 --blend-constants push-constant=16 -o %t.spv
// CHECK: "equation_0"
// CHECK: "blend_constant_red"
// CHECK: "blend_constant_alpha"

layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 other;

void main() {
    colour = vec4(0.5);
    other = vec4(0.25);
}
