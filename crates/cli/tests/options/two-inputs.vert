#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec2 b;
layout(location = 0) out vec4 v;
void main() { v = a + b.xyxy; gl_Position = a * 3.0 + vec4(1.0); }
