#version 450
layout(location = 0) in vec4 position;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 captured;
void main() {
    captured = position;
    gl_Position = position;
    gl_PointSize = 1;
}
