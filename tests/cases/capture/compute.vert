#version 450
// A compute stage captures where no vertex stage can store: an invocation for each vertex of each instance, whose numbers
// are those of the draw.
// RUN: polyshade capture %s --varyings v --path compute --topologies triangle-list --limit-in-vertices -o %t.spv
// CHECK: OpEntryPoint GLCompute %main "main" %polyshade_work_group %polyshade_invocation
// CHECK: OpExecutionMode %main LocalSize 64 1 1
// CHECK-NOT: OpCapability DrawParameters
// CHECK: %gl_VertexIndex = OpVariable %_ptr_Private_int Private
// CHECK: OpUMod
// CHECK: OpReturn
// CHECK: OpStore %gl_BaseInstanceARB
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) flat out ivec4 v;

void main() {
    v = ivec4(gl_VertexIndex, gl_InstanceIndex, gl_BaseVertexARB, gl_BaseInstanceARB);
    gl_Position = vec4(v);
}
