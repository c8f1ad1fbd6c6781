#version 450
// Each point reads the index at its position. Built-ins of the draw are those of the draw with indices.
// RUN: polyshade capture %s --varyings v --indexed --topologies triangle-list --one-instance --limit-in-vertices -o %t.spv
// CHECK-NOT: OpCapability DrawParameters
// CHECK: OpDecorate %polyshade_indices NonWritable
// CHECK: %gl_VertexIndex = OpVariable %_ptr_Private_int Private
// CHECK: OpStore %gl_VertexIndex
// CHECK: %index_at = OpFunction
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) flat out ivec3 v;

void main() {
    v = ivec3(gl_VertexIndex, gl_BaseVertexARB, gl_DrawIDARB);
    gl_Position = vec4(v, 1);
}
