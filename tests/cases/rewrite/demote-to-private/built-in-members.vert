// The members are copied one by one to a structure of the same members, which has the decorations.
// RUN: rewrite demote-to-private epilogue *
#version 450
invariant gl_Position;
void main() { gl_Position = vec4(1.0); gl_PointSize = gl_Position.x; }
