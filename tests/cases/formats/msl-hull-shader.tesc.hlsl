// HLSL says the domain in the hull shader.
// RUN: polyshade convert %f -o %t.metal
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: device MTLQuadTessellationFactorsHalf* spvTessLevel [[buffer(26)]]

struct Vertex { float4 position : SV_Position; };
struct Levels { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; };

Levels levels() {
    Levels all;
    all.edges[0] = all.edges[1] = all.edges[2] = all.edges[3] = 2.0;
    all.inside[0] = all.inside[1] = 1.0;
    return all;
}

[domain("quad")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(4)]
[patchconstantfunc("levels")]
Vertex main(InputPatch<Vertex, 4> patch, uint number : SV_OutputControlPointID) {
    return patch[number];
}
