#version 450
layout(triangles) in;
layout(location = 0) in vec4 c[];
void main() { gl_Position = c[0] * gl_TessCoord.x; }
