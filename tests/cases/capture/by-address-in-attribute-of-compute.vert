#version 450
// A compute stage has no attributes to hold an address.
// RUN: polyshade capture %s --varyings v --path compute --params address:attribute=3 -o %t.spv
// EXIT: 2
// CHECK: words at address:attribute=3, but a compute stage captures
layout(location = 0) out float v;

void main() {
    v = float(gl_VertexIndex);
    gl_Position = vec4(v);
}
