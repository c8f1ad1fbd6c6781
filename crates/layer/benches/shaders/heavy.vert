#version 450
layout(location = 0) in vec4 position;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 captured;
void main() {
    vec4 value = position;
    for (int i = 0; i < 200; ++i) value = fract(value.yzwx * 1.7 + sqrt(abs(value)) * 0.3);
    captured = value;
    gl_Position = value;
    gl_PointSize = 1;
}
