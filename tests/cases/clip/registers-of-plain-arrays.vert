#version 450
// RUN: polyshade clip %s --to registers --location 8 -o %t.spv
// CHECK-NOT: OpCapability ClipDistance


out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_Position = vec4(1.0); gl_ClipDistance[0] = 1.0; }
