#version 450
// Attributes are a vertex shader's.
// RUN: polyshade vertex-pulling %s -o %t.spv
// EXIT: 4
// CHECK: the module has no vertex entry point
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(1.0);
}
