#version 450
// RUN: polyshade clip %s --repair capability,unused,size,xfb -o %t.spv


out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_Position = vec4(1.0); gl_ClipDistance[0] = 1.0; }
