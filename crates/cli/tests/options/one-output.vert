#version 450
layout(location = 0) in vec4 a;
layout(location = 1) out vec4 v;
void main() { v = a; gl_Position = a; }
