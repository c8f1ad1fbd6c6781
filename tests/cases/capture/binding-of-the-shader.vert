#version 450
// A binding that the shader has is not taken from it.
// RUN: polyshade capture %s --varyings gl_Position --set 0 --binding 1 -o %t.spv
// EXIT: 2
// CHECK: the shader already uses binding 2 of set 0

layout(set = 0, binding = 2) uniform Matrix {
    mat4 matrix;
};

void main() {
    gl_Position = matrix * vec4(1.0);
}
