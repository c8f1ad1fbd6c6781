#version 450
// A fragment stage decides no coverage.
// RUN: polyshade position %s -o %t.spv
// EXIT: 1
// CHECK: no entry point of a stage

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(1.0);
}
