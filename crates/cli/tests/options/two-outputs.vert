#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v;
layout(location = 1) out vec2 w;
void main() { v = a * 2.0; w = a.xy; gl_Position = a; }
