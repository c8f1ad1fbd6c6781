#version 450
// RUN: polyshade capture %s --varyings v --variant pass-through=%t.spv -o %t.capture.spv
// EXIT: 2
// CHECK: outputs are passed through only where the options ask for it
// CHECK: --pass-through
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
