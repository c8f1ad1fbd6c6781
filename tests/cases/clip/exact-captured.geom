#version 450
// RUN: polyshade clip %s --exact -o %t.spv
// EXIT: 3
// CHECK: the stage is captured, and clipping would drop primitives before they are counted

layout(points) in;
layout(points, max_vertices = 1) out;
out gl_PerVertex { layout(xfb_buffer = 0, xfb_offset = 0) vec4 gl_Position; float gl_ClipDistance[1]; };
void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = 1.0;
    EmitVertex();
}
