#version 450
// RUN: polyshade clip %s --to registers --location 8 -o %t.spv
// CHECK-NOT: OpCapability ClipDistance

out float gl_ClipDistance[8];
void main() { gl_Position = vec4(1.0); gl_ClipDistance[1] = 1.0; }
