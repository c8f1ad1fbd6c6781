// HLSL is compiled by the program itself; the name says the stage.
// RUN: polyshade convert %f --spirv-version 1.0 -o %t.spv
// CHECK: OpSource HLSL
// CHECK: Binding 1
// CHECK: Binding 0

cbuffer Scene { float4x4 projection; };
ByteAddressBuffer view : register(t1);
struct Varyings { float4 position : SV_Position; float3 colour : COLOR; };

Varyings main(float3 p : POSITION, uint number : SV_VertexID) {
    Varyings v;
    v.position = mul(projection, float4(p, asfloat(view.Load(number * 4))));
    v.colour = p * 2;
    return v;
}
