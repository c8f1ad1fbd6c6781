#version 450
// RUN: polyshade clip %s --exact -o %t.spv
// EXIT: 3
// CHECK: the stage emits to vertex streams that are not rasterized

layout(points) in;
layout(points, max_vertices = 2) out;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
layout(location = 0, stream = 1) out float other;
void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = 1.0;
    EmitStreamVertex(0);
    other = 1.0;
    EmitStreamVertex(1);
}
