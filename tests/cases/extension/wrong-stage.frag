#version 450
// Transform feedback captures what goes to the rasterizer.
// RUN: polyshade capture %s --path extension --varyings colour -o %t.spv
// EXIT: 4
// CHECK: the module has no vertex, tessellation evaluation, geometry or mesh entry point
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(1.0);
}
