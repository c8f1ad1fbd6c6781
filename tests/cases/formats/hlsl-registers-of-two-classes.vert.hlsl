// Constants and read-only buffers have registers of their own; in Vulkan, the second of two gets another binding.
// Version: 1.3
// RUN: polyshade convert %f -o %t.spv
// CHECK: OpDecorate %_ Binding 0
// CHECK: OpDecorate %offsets_0 Binding 1

cbuffer Scene : register(b0) { float4 scale; };
ByteAddressBuffer offsets : register(t0);

float4 main(uint number : SV_VertexID) : SV_Position {
    return scale * asfloat(offsets.Load(number * 4));
}
