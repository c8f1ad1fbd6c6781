#version 450
// Without a binding, the buffers go where there is room in the set that was asked for.
// RUN: polyshade capture %s --varyings v_colour --set 0 --reserve 0:5 -o %t.spv
// CHECK: OpDecorate %polyshade_feedback_0 DescriptorSet 0
// CHECK: OpDecorate %polyshade_feedback_0 Binding 2
// CHECK: OpDecorate %polyshade_host Binding 3

layout(set = 0, binding = 0) uniform Colours { vec4 colour; };
layout(set = 0, binding = 1) uniform Tints { vec4 tint; };
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = colour * tint;
    gl_Position = vec4(0.0);
}
