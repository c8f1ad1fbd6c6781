#version 450
// SPIRV-Cross prints a function that no Metal compiler takes, or crashes.
// RUN: polyshade convert %s -o %t.metal
// EXIT: 3
// CHECK: Metal has no Geometry stage

layout(points) in;
layout(points, max_vertices = 1) out;

void main() {
    gl_Position = gl_in[0].gl_Position;
    EmitVertex();
}
