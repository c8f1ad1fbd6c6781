#version 450
// The words of any lowering may be where an address points to.
// RUN: polyshade clip %s --planes 1 --planes-at address:uniform=2:0 -o %t.spv
// CHECK: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// CHECK: Aligned 4

layout(location = 0) in vec4 position;

void main() {
    gl_Position = position;
}
