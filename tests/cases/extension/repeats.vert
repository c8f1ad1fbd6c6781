#version 450
// Where it is asked for, what is named twice is captured twice: decorated once, and copied.
// RUN: polyshade capture %s --path extension --varyings v_colour,v_colour --allow-duplicates -o %t.spv
// CHECK: OpDecorate %v_colour Offset 0
// CHECK: OpDecorate %polyshade_captured_0_4 Offset 16
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
