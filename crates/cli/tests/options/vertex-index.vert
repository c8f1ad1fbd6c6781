#version 450
layout(location = 0) out vec4 v;
void main() { v = vec4(gl_VertexIndex); gl_Position = v; }
