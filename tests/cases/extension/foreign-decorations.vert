#version 450
// What is named counts; what the shader says itself of transform feedback goes.
// RUN: polyshade capture %s --path extension --varyings v_weight -o %t.spv
// CHECK-NOT: OpDecorate %v_colour Offset
// CHECK: OpDecorate %v_weight Offset 0
layout(location = 0, xfb_buffer = 1, xfb_offset = 16, xfb_stride = 64) out vec4 v_colour;
layout(location = 1) out float v_weight;

void main() {
    v_colour = vec4(1.0);
    v_weight = 2.0;
    gl_Position = vec4(0.0);
}
