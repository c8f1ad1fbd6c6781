#version 450
// What is reserved cannot be asked for.
// RUN: polyshade capture %s --varyings gl_Position --set 1 --binding 2 --reserve 1:3 -o %t.spv
// EXIT: 2
// CHECK: binding 3 of set 1 is reserved

void main() {
    gl_Position = vec4(0.0);
}
