#version 450
// Adjacent vertices are left out: every second one of a strip of triangles.
// RUN: polyshade capture %s --varyings v --topologies triangle-strip-with-adjacency --one-instance --limit-in-vertices -o %t.spv
// CHECK: %of_captured = OpFunction
// CHECK: OpFunctionCall %uint %number_of_captured
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
