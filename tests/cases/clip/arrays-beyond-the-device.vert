#version 450
// RUN: polyshade clip %s --max-clip 4 -o %t.spv
// EXIT: 3
// CHECK: cannot use 6 clip and 0 cull distances: 6 is more than maxClipDistances, 4

out float gl_ClipDistance[6];
void main() { for (int i = 0; i < 6; i++) gl_ClipDistance[i] = 1.0; gl_Position = vec4(0.0); }
