#version 450
// Nothing is bound: the words, and the addresses of the feedback buffers among them, are where an address points to.
// RUN: polyshade capture %s --varyings b,gl_NextBuffer,a --params address:push-constant=72 --topologies triangle-strip --limit-in-vertices -o %t.spv
// CHECK: OpCapability PhysicalStorageBufferAddresses
// CHECK: OpExtension "SPV_KHR_physical_storage_buffer"
// CHECK: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// CHECK-NOT: DescriptorSet
// CHECK: OpMemberDecorate %Matrix 1 Offset 72
// CHECK: OpBitcast %_ptr_PhysicalStorageBuffer_polyshade_words

layout(push_constant) uniform Matrix {
    mat4 matrix;
};
layout(location = 0) out vec4 a;
layout(location = 1) out ivec2 b;

void main() {
    gl_Position = matrix * vec4(1.0);
    a = gl_Position.wzyx;
    b = ivec2(gl_VertexIndex, gl_InstanceIndex);
}
