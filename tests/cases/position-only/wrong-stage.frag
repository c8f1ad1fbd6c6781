#version 450
// A fragment stage decides no coverage.
// RUN: polyshade position-only %s -o %t.spv
// EXIT: 4
// CHECK: the module has no vertex, tessellation evaluation, geometry or mesh entry point

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(1.0);
}
