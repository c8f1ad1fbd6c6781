#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
layout(location = 1) out vec4 d;
void main() { c = a; d = a * 2.0; }
