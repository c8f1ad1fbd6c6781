#version 450
// RUN: polyshade depth %s --flip-y maybe -o %t.spv
// EXIT: 2
// CHECK: on, off, specialization=ID or push-constant
void main() {
    gl_Position = vec4(0.0);
}
