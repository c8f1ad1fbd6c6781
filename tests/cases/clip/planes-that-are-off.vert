#version 450
// Plane 1 is off for good; plane 0 stays as it was written.
// RUN: polyshade clip %s --enable 1 -o %t.spv
// CHECK: OpBitwiseAnd
// CHECK: OpSelect %float

out float gl_ClipDistance[2];
void main() { gl_ClipDistance[0] = 1.0; gl_ClipDistance[1] = -1.0; gl_Position = vec4(0.0); }
