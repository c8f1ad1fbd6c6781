#version 450
// Host parameters go behind the push constants that the shader has.
// RUN: polyshade capture %s --varyings gl_Position --params push-constant=32 -o %t.spv
// EXIT: 2
// CHECK: the push constants of the shader end at byte 64, after byte 32

layout(push_constant) uniform Matrix {
    mat4 matrix;
};

void main() {
    gl_Position = matrix * vec4(1.0);
}
