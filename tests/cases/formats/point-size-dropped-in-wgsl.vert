#version 450
// What else the size is for stays.
// RUN: polyshade convert %s -o %t.wgsl --wgsl-drop-point-size
// KNOWN: naga refuses unknown instructions
// CHECK: fn main(
// CHECK-NOT: point_size

layout(location = 0) in vec4 p;
layout(location = 0) out float size;

void main() {
    gl_Position = p;
    gl_PointSize = p.w;
    size = gl_PointSize * 2.0;
}
