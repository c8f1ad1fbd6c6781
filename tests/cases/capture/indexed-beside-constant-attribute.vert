#version 450
// What is the same for all vertices needs no index to be fetched by.
// RUN: polyshade capture %s --varyings v --indexed --constant-attributes 2 --params address:attribute=1 -o %t.spv
// CHECK: OpDecorate %address Location 2
// CHECK: OpDecorate %polyshade_host Location 1
layout(location = 2) in uvec2 address;
layout(location = 0) flat out uvec3 v;

void main() {
    v = uvec3(address, gl_VertexIndex);
    gl_Position = vec4(v, 1.0);
}
