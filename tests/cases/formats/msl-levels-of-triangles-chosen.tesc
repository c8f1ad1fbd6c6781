#version 450
// Behind the three outer levels of a triangle lies the inner one.
// RUN: polyshade convert %s -o %t.metal --msl-domain triangles
// EXIT: 3
// CHECK: three outer tessellation levels and one inner level

layout(vertices = 3) out;

void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = float(i);
}
