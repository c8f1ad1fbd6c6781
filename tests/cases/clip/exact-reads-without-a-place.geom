#version 450
// RUN: polyshade clip %s --exact -o %t.spv
// EXIT: 2
// CHECK: the stage reads distances, which the device does not support: give the location at which the previous stage exports them

layout(points) in;
layout(points, max_vertices = 1) out;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };

void main() {
    gl_Position = gl_in[0].gl_Position;
    gl_ClipDistance[0] = gl_in[0].gl_ClipDistance[0];
    EmitVertex();
}
