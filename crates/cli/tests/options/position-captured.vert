#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v;
out gl_PerVertex { layout(xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) vec4 gl_Position; };
void main() { v = a * 2.0; gl_Position = a; }
