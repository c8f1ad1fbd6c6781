#version 450
layout(location = 0) out vec4 v[8];
void main() { for (int i = 0; i < 8; ++i) v[i] = vec4(i); gl_Position = v[0]; }
