#version 450
// Where every set is in use, there is room behind what the shader has.
// RUN: polyshade capture %s --varyings v_colour --reserve 0,1,2 --reserve 3:5 -o %t.spv
// CHECK: OpDecorate %polyshade_feedback_0 DescriptorSet 3
// CHECK: OpDecorate %polyshade_feedback_0 Binding 6

layout(set = 3, binding = 4) uniform Colours { vec4 colour; };
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = colour;
    gl_Position = vec4(0.0);
}
