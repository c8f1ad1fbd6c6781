#version 450
// Numbers of specialization constants can be reserved too.
// RUN: polyshade capture %s --varyings gl_Position --params specialization=10 --reserve-constant 12 -o %t.spv
// EXIT: 2
// CHECK: specialization constant 12 is reserved

void main() {
    gl_Position = vec4(0.0);
}
