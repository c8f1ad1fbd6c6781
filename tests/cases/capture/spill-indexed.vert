#version 450
// The buffer for outputs is bound behind the index buffer, and one limit needs to know how many vertices an instance has.
// RUN: polyshade capture %s --varyings v --indexed --limit-in-vertices --spill-outputs --dry-run
// CHECK: binding 1: storage buffer, index buffer
// CHECK: binding 2: storage buffer, spilled outputs
// CHECK: index_count
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
