#version 450
layout(location = 1) in vec4 a;
layout(location = 0) out vec4 c;
void main() { c = a; }
