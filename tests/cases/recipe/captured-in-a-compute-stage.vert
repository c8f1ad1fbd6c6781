// The stage that captures is a compute stage, and takes no attributes; what the depth is does not matter to it.
// RUN: polyshade pipeline {"capture":{"storage":{"variant":"capture_only","options":{"varyings":{"interleaved":[{"name":"v"}]},"draws":{"compute":true,"topologies":["TriangleList"],"one_instance":true,"limit_in_vertices":true}}}},"vertex_pulling":{"attributes":{"0":{"buffer":0,"offset":0,"format":"r32g32_sfloat"}},"buffers":{"0":{"stride":8,"rate":"vertex"}}},"clip_space":{"depth":{"fixed":true}}} %s -o %t.spv
// CHECK: OpEntryPoint GLCompute
// CHECK-NOT: BuiltIn Position
// CHECK: OpDecorate %polyshade_vertex_buffer_0 NonWritable
#version 450
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 v;
void main() {
    v = a;
    gl_Position = vec4(a, 0, 1);
}
