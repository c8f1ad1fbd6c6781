#version 450
// Sets that the shader uses and those that are reserved for other stages stay clear.
// RUN: polyshade capture %s --varyings v_colour --reserve 2 --reserve-ids-below 500 -o %t.spv
// CHECK: OpDecorate %polyshade_feedback_0 DescriptorSet 1

layout(set = 3, binding = 0) uniform Colours { vec4 colour; };
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = colour;
    gl_Position = vec4(0.0);
}
