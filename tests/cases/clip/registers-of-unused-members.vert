#version 450
// Members of gl_PerVertex that are declared and never written become no registers.
// RUN: polyshade clip %s --to registers --location 8 -o %t.spv
// CHECK-NOT: OpCapability ClipDistance

void main() { gl_Position = vec4(1.0); }
