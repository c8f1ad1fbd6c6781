#version 450
// What is to be kept and is not there is an error.
// RUN: polyshade position-only %s --keep position,v_other -o %t.spv
// EXIT: 1
// CHECK: no output `v_other`

void main() {
    gl_Position = vec4(0.0);
}
