#version 450
// A buffer captures one vertex stream.
// RUN: polyshade capture %s --path extension --varyings g_one,g_other -o %t.spv
// EXIT: 2
// CHECK: one buffer would capture vertex streams 0 and 1
layout(points) in;
layout(points, max_vertices = 2) out;
layout(location = 0, stream = 0) out vec2 g_one;
layout(location = 1, stream = 1) out vec2 g_other;

void main() {
    g_one = vec2(1.0);
    EmitStreamVertex(0);
    g_other = vec2(1.0);
    EmitStreamVertex(1);
}
