#version 450
// The index buffer is bound behind the feedback buffers, and the table of segments behind that.
// RUN: polyshade capture %s --varyings v --separate --indexed --restart --dry-run
// CHECK: index buffer
// CHECK: segment table of the index buffer
// CHECK: first_index
// CHECK: index_type
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
