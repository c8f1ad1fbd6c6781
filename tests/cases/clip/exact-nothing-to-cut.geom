#version 450
// Without distances nothing changes.
// RUN: polyshade clip %s --exact -o %t.spv

layout(points) in;
layout(points, max_vertices = 1) out;
void main() {
    gl_Position = vec4(0.0);
    EmitVertex();
}
