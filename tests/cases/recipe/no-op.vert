// Nothing is wanted.
// RUN: polyshade pipeline {} %s -o %t.spv
#version 450
void main() { gl_Position = vec4(1.0); }
