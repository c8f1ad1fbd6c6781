#version 450
// What is dispatched has no points.
// RUN: polyshade capture %s --varyings v --path compute --no-point-size -o %t.spv
// EXIT: 2
// CHECK: --no-point-size has no meaning with --path compute
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
}
