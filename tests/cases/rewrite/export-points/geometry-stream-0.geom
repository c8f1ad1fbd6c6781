// RUN: rewrite export-points 0
// CHECK: OpStore %mark %uint_1
#version 450
layout(points) in;
layout(points, max_vertices = 4) out;
layout(stream = 2, location = 0) out float other;
void last() { gl_Position = vec4(2); EmitStreamVertex(0); EmitStreamVertex(0); }
void main() {
    gl_Position = vec4(1);
    EmitVertex();
    other = 1.0;
    EmitStreamVertex(2);
    last();
}
