#version 450
// The second column of the matrix is at the location.
// RUN: polyshade capture %s --varyings v --params address:attribute=3 -o %t.spv
// EXIT: 2
// CHECK: cannot read host parameters at address:attribute=3: the shader has an input there
layout(location = 2) in mat2 a;
layout(location = 0) out vec2 v;

void main() {
    v = a[0] + a[1];
    gl_Position = vec4(v, v);
}
