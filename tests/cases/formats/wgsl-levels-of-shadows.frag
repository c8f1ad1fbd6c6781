#version 450
// RUN: polyshade convert %s -o %t.wgsl
// EXIT: 3
// KNOWN: naga refuses unknown instructions
// CHECK: writing WGSL: WGSL has no OpImageSampleDrefExplicitLod of depth textures with a Lod that is not 0

layout(set = 0, binding = 0) uniform sampler2DShadow image;
layout(location = 0) in vec4 at;
layout(location = 0) out float colour;

void main() {
    colour = textureLod(image, at.xyz, at.w);
}
