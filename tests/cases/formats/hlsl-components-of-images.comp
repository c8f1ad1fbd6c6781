#version 450
// Components that a format lacks are 0, and 1 the last.
// RUN: polyshade convert %s -o %t.hlsl
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: float4(one[int2(0, 0)].xxxx.x, 0.0f, 0.0f, 1.0f)
// CHECK: two[int2(0, 0)].xy, 0u, 1u)

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32f) uniform image2D one;
layout(set = 0, binding = 1, rg32ui) uniform uimage2D two;
layout(set = 0, binding = 2, rgba32f) uniform image2D four;

void main() {
    imageStore(four, ivec2(0), imageLoad(one, ivec2(0)));
    imageStore(four, ivec2(1), vec4(imageLoad(two, ivec2(0))));
}
