#version 450
// An evaluation shader is not a vertex shader.
// RUN: polyshade tessellation %s --control %s --vertex %s --patch-vertices 4 -o %t.spv
// EXIT: 4
// CHECK: has no vertex entry point
layout(quads) in;

void main() { gl_Position = vec4(gl_TessCoord, 1); }
