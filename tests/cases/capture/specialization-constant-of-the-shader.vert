#version 450
// A specialization constant's number is the shader's own.
// RUN: polyshade capture %s --varyings gl_Position --params specialization=4 -o %t.spv
// EXIT: 2
// CHECK: the shader already has specialization constant 7: 4 to 11 are needed

layout(constant_id = 7) const float scale = 1.0;

void main() {
    gl_Position = vec4(scale);
}
