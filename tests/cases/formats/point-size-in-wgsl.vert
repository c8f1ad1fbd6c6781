#version 450
// RUN: polyshade convert %s -o %t.wgsl
// EXIT: 3
// KNOWN: naga refuses unknown instructions
// CHECK: writing WGSL: the shader writes PointSize, which WebGPU does not have
// CHECK: --wgsl-drop-point-size

layout(location = 0) in vec4 p;

void main() {
    gl_Position = p;
    gl_PointSize = p.w;
}
