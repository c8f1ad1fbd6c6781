#version 450
// RUN: polyshade clip %s --exact --max-geometry-vertices 39 -o %t.spv
// EXIT: 3
// CHECK: cannot emit up to 40 vertices of 4 components: 40 is more than maxGeometryOutputVertices

layout(points) in;
layout(triangle_strip, max_vertices = 10) out;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = gl_ClipDistance[1] = 1.0;
    EmitVertex();
}
