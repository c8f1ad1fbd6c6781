#version 450
// A constant that another stage has is not given away either.
// RUN: polyshade clip-space %s --range specialization=7 --reserve-constant 7 -o %t.spv
// EXIT: 2
// CHECK: specialization constant 7 is reserved
void main() {
    gl_Position = vec4(0.0);
}
