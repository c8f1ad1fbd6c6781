// Metal divides patches into triangles alone.
// RUN: polyshade convert %f -o %t.metal
// EXIT: 3
// CHECK: Metal has no isolines

struct Vertex { float4 position : SV_Position; };
struct Levels { float edges[2] : SV_TessFactor; };

Levels levels() {
    Levels all;
    all.edges[0] = all.edges[1] = 2.0;
    return all;
}

[domain("isoline")]
[partitioning("integer")]
[outputtopology("line")]
[outputcontrolpoints(4)]
[patchconstantfunc("levels")]
Vertex main(InputPatch<Vertex, 4> patch, uint number : SV_OutputControlPointID) {
    return patch[number];
}
