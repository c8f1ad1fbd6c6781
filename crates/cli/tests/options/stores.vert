#version 450
layout(location = 0) in vec4 a;
layout(set = 0, binding = 0) buffer Stored { vec4 stored; };
layout(location = 0) out vec4 v;
void main() { stored = a; v = a * 2.0; gl_Position = a * 3.0; }
