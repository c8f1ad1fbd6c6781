#version 450
// Functions are handed a texture that is compared with, through another function.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: var shadow: texture_depth_2d;
// CHECK: var shadow_sampler: sampler_comparison;
// CHECK: (map: texture_depth_2d, param: sampler_comparison,
// CHECK: textureSampleCompare(map, param,
// CHECK: (map_1: texture_depth_2d, param_1: sampler_comparison,
// CHECK: (shadow, shadow_sampler,

layout(location = 0) in vec3 at;
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform sampler2DShadow shadow;

float lit(sampler2DShadow map, vec3 where) { return texture(map, where); }
float faint(sampler2DShadow map, vec3 where) { return 0.5 * lit(map, where); }

void main() {
    colour = vec4(faint(shadow, at));
}
