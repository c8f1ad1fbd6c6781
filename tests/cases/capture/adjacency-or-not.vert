#version 450
// The slots are those of the topology without adjacency, which the word says.
// RUN: polyshade capture %s --varyings v --topologies line-strip,line-list-with-adjacency,triangle-list -o %t.spv
// CHECK: %without_adjacency = OpFunction
// CHECK: %capture_with_adjacency = OpFunction
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
