#version 450
// A value for a constant that the shader does not have was meant for something else.
// RUN: polyshade capture %s --varyings gl_Position --specialize 4=1 -o %t.spv
// EXIT: 1
// CHECK: the shader has no specialization constant 4

void main() {
    gl_Position = vec4(0.0);
}
