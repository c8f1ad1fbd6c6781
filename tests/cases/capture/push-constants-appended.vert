#version 450
// An entry point has one block of push constants: the host parameters become members of it.
// RUN: polyshade capture %s --varyings gl_Position --params push-constant=64 -o %t.spv
// CHECK: OpMemberDecorate %Matrix 1 Offset 64
// CHECK: OpMemberDecorate %Matrix 8 Offset 92

layout(push_constant) uniform Matrix {
    mat4 matrix;
};

void main() {
    gl_Position = matrix * vec4(1.0);
}
