#version 450
// The copy of a captured position needs a location.
// RUN: polyshade clip-space %s --max-output-components 4 -o %t.spv
// EXIT: 3
// CHECK: no location below 1 is free for the original value
layout(location = 0) out vec4 v_colour;
out gl_PerVertex {
    layout(xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) vec4 gl_Position;
};

void main() {
    gl_Position = v_colour = vec4(1.0);
}
