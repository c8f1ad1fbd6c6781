#version 450
// Four texels by four offsets are one of each of four gathers.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: textureGather(1, image, image_sampler, _e17, vec2<i32>(0i, 1i));
// CHECK: textureGather(1, image, image_sampler, _e17, vec2<i32>(2i, 3i));
// CHECK: textureGather(1, image, image_sampler, _e17, vec2<i32>(-1i, -2i));
// CHECK: textureGather(1, image, image_sampler, _e17, vec2<i32>(4i, 0i));
// CHECK: vec4<f32>(_e18.w, _e20.w, _e22.w, _e24.w)

layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;

void main() {
    const ivec2 offsets[4] = { ivec2(0, 1), ivec2(2, 3), ivec2(-1, -2), ivec2(4, 0) };
    colour = textureGatherOffsets(image, at, offsets, 1);
}
