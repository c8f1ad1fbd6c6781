#version 450
// RUN: polyshade capture %s --varyings v --path compute --variant both=%t.spv -o %t.capture.spv
// EXIT: 3
// CHECK: a compute stage has no stage outputs
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
}
