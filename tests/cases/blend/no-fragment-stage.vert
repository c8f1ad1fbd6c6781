#version 450
// RUN: polyshade blend %s --equations multiply -o %t.spv
// EXIT: 4
// CHECK: the module has no fragment entry point; its stages: vertex

void main() {
    gl_Position = vec4(0.0);
}
