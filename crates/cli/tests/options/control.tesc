#version 450
layout(vertices = 1) out;
void main() { gl_TessLevelOuter[0] = 1.0; }
