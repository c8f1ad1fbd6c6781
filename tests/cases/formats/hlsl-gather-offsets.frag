#version 450
// SPIRV-Cross drops four offsets of a gather in HLSL: each texel is one of a gather of its own.
// RUN: polyshade convert %s -o %t.hlsl
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: image.GatherGreen(_image_sampler, at, int2(0, 1)).w, image.GatherGreen(_image_sampler, at, int2(2, 3)).w,

layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;

void main() {
    const ivec2 offsets[4] = { ivec2(0, 1), ivec2(2, 3), ivec2(-1, -2), ivec2(4, 0) };
    colour = textureGatherOffsets(image, at, offsets, 1);
}
