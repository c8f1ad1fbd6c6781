#version 450
layout(points) in;
layout(points, max_vertices = 1) out;
layout(location = 0) in vec4 v[];
layout(location = 0) out vec4 g;
void main() { g = v[0]; gl_Position = g; EmitVertex(); }
