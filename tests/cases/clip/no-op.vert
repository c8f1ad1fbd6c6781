#version 450
// Nothing is marked, so nothing changes: built-in arrays are left alone.
// RUN: polyshade clip %s -o %t.spv

out float gl_ClipDistance[2];
layout(location = 0) out vec4 v_colour;

void main() {
    gl_ClipDistance[0] = 1.0;
    gl_ClipDistance[1] = 2.0;
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
