#version 450
// RUN: polyshade clip %s --repair size --max-clip 4 -o %t.spv
// EXIT: 3
// CHECK: an array of distances is to be shortened, and not all indices are known

out float gl_ClipDistance[8];
void main() { gl_Position = vec4(1.0); gl_ClipDistance[gl_VertexIndex & 1] = 1.0; }
