#version 450
// Invocations read the index with their number; of one instance nothing is divided.
// RUN: polyshade capture %s --varyings v --path compute --indexed=uint16 --one-instance --topologies line-strip -o %t.spv
// CHECK-NOT: OpUMod
// CHECK: OpDecorate %polyshade_indices
// CHECK: OpDecorate %polyshade_work_group BuiltIn WorkgroupId
// CHECK: OpStore %gl_DrawIDARB
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) flat out ivec2 v;

void main() {
    v = ivec2(gl_VertexIndex, gl_DrawIDARB);
}
