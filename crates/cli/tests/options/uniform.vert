#version 450
layout(set = 1, binding = 2) uniform Block { vec4 value; };
void main() { gl_Position = value; gl_PointSize = 1.0; }
