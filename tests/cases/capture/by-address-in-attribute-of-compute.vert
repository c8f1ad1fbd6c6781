#version 450
// A compute stage has no attributes to hold an address.
// RUN: polyshade capture %s --varyings v --path compute --params address:attribute=3 -o %t.spv
// EXIT: 2
// CHECK: cannot read host parameters at address:attribute=3: a compute stage has no vertex attributes
layout(location = 0) out float v;

void main() {
    v = float(gl_VertexIndex);
    gl_Position = vec4(v);
}
