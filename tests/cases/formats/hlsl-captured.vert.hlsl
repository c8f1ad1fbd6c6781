// HLSL's semantics are kept: outputs have the names that DXC gives them, so that stream output finds them.
// RUN: polyshade capture %f --stream-output TEXCOORD0.xy;SV_Position --validate -o %t.spv
// CHECK: OpName %out_var_TEXCOORD0 "out.var.TEXCOORD0"
// CHECK: OpName %polyshade_feedback_0

struct Output {
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
};

Output main(uint number : SV_VertexID) {
    Output output;
    output.position = float4(0, 0, 0, 1);
    output.uv = float2(number, 1);
    return output;
}
