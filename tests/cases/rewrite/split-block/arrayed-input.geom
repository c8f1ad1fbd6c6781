// Each vertex has one block.
// RUN: rewrite split-block values
// CHECK: OpDecorate %a Location 3
#version 450
layout(location = 3) in Values { vec4 a; } values[];
layout(points) in;
layout(points, max_vertices = 1) out;
void main() { gl_Position = values[0].a; EmitVertex(); }
