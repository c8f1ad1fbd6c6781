#version 450
// RUN: polyshade clip %s --to registers --location 8 -o %t.spv
// CHECK-NOT: OpCapability ClipDistance

layout(xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16, location = 0) out vec4 a;
void main() { a = vec4(1.0); gl_Position = a; }
