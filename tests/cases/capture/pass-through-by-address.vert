#version 450
// Outputs are passed through a buffer that is bound, and where words are found by an address, nothing is.
// RUN: polyshade capture %s --varyings v --pass-through --words address:push-constant=0 -o %t.spv
// EXIT: 2
// CHECK: words at an address bind none
// CHECK: --pass-through
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
