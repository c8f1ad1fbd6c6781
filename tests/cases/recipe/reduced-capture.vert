// A variant that is not rasterized has no position-only variant.
// RUN: polyshade pipeline {"position_only":{},"capture":{"storage":{"variant":"capture_only","options":{"varyings":{"interleaved":[{"name":"gl_Position"}]}}}}} %s -o %t.spv
// EXIT: 2
// CHECK: position_only: the capture-only variant is not rasterized
#version 450
void main() { gl_Position = vec4(1.0); }
