#version 450
// The levels that it writes are laid out by the domain, which GLSL says in the evaluation stage.
// RUN: polyshade convert %s -o %t.metal
// EXIT: 3
// CHECK: which only the evaluation stage declares: name it (`--msl-domain`)

layout(vertices = 3) out;

void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter[0] = 1.0;
}
