#version 450
// RUN: polyshade blend %s --equations multiply -o %t.spv
// EXIT: 4
// CHECK: there is no

void main() {
    gl_Position = vec4(0.0);
}
