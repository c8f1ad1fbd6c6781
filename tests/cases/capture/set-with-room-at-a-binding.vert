#version 450
// Without a set, the buffers go to the last one in which the binding that was asked for has room.
// RUN: polyshade capture %s --varyings v_colour --binding 4 --reserve 2:5 -o %t.spv
// CHECK: OpDecorate %polyshade_feedback_0 DescriptorSet 1
// CHECK: OpDecorate %polyshade_feedback_0 Binding 4

layout(set = 3, binding = 5) uniform Colours { vec4 colour; };
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = colour;
    gl_Position = vec4(0.0);
}
