// glslang calls HLSL's outputs by names that begin with @, which on the command line stands for a response file.
// RUN: polyshade capture %f --varyings @@entryPointOutput.uv,gl_Position --validate -o %t.spv
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
