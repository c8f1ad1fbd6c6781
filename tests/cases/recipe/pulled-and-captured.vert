// Of a draw with indices, attributes are fetched by the index; the fields may stand in any order.
// RUN: polyshade pipeline {"capture":{"storage":{"variant":"capture_only","options":{"varyings":{"interleaved":[{"name":"v"}]},"draws":{"indexed":{"index_type":"uint16"},"topologies":["TriangleList"],"one_instance":true,"limit_in_vertices":true}}}},"vertex_pulling":{"attributes":{"0":{"buffer":0,"offset":0,"format":"r32g32_sfloat"}},"buffers":{"0":{"stride":8,"rate":"vertex"}}}} %s -o %t.spv
// CHECK: OpDecorate %polyshade_vertex_buffer_0 NonWritable
// CHECK: OpDecorate %polyshade_indices NonWritable
// CHECK: %index_at = OpFunction
#version 450
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 v;
void main() {
    v = a;
    gl_Position = vec4(a, 0, 1);
}
