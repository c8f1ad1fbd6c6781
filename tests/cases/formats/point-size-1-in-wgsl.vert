#version 450
// All points of WebGPU are of size 1.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: fn main(
// CHECK-NOT: point_size

layout(location = 0) in vec4 p;

void main() {
    gl_Position = p;
    gl_PointSize = 1.0;
}
