#version 450
// RUN: polyshade capture %s --varyings v --restart -o %t.spv
// EXIT: 2
// CHECK: --indexed
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
}
