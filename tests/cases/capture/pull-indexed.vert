#version 450
// Of a draw with indices, attributes are fetched by the index, from a set of their own.
// RUN: polyshade capture %s --varyings v --indexed=uint16 --topologies point-list --one-instance --limit-in-vertices --set 1 --pull --pull-set 2 --pull-binding 4 --pull-params push-constant=16 --attribute 0=0:0:r32g32_sfloat --buffer 0=8 -o %t.spv
// CHECK: OpDecorate %polyshade_vertex_buffer_0 DescriptorSet 2
// CHECK: OpDecorate %polyshade_vertex_buffer_0 Binding 4
// CHECK: OpDecorate %polyshade_indices NonWritable
// CHECK: %index_at = OpFunction
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 v;

void main() {
    v = a;
    gl_Position = vec4(a, 0.0, 1.0);
}
