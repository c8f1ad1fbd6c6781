#version 450
// A shader that says itself what is captured stays as it is.
// RUN: polyshade capture %s --path extension -o %t.spv
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
