#version 450
// There is nothing to mask, so that the entry point is not wrapped.
// RUN: polyshade clip %s --enable push-constant=0 -o %t.spv
// CHECK-NOT: OpFunctionCall
void main() { gl_Position = vec4(1.0); }
