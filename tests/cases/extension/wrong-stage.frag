#version 450
// Transform feedback captures what goes to the rasterizer.
// RUN: polyshade capture %s --path extension --varyings colour -o %t.spv
// EXIT: 1
// CHECK: vertex, tessellation evaluation or geometry stage
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(1.0);
}
