#version 450
// Outputs are spilled to a bound buffer, and words behind an address bind none.
// RUN: polyshade capture %s --varyings v --spill-outputs --params address:push-constant=0 -o %t.spv
// EXIT: 2
// CHECK: host parameters at an address use no bindings
// CHECK: --spill-outputs
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
