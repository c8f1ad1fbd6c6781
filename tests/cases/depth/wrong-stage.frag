#version 450
// A fragment stage hands on no position.
// RUN: polyshade depth %s -o %t.spv
// EXIT: 1
// CHECK: vertex, tessellation evaluation or geometry stage
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(1.0);
}
