#version 450
// A name that no entry point has is an error, and those that there are are named.
// RUN: polyshade info %s --entry other
// EXIT: 1
// CHECK: other
// CHECK: main

void main() {
    gl_Position = vec4(0.0);
}
