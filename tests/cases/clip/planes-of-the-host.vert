#version 450
// RUN: polyshade clip %s --planes 1 --planes-at uniform=2:0 -o %t.spv
// CHECK: OpCapability ClipDistance
// CHECK: OpDot %float

void main() { gl_Position = vec4(0.0); }
