#version 450
// RUN: polyshade convert %s -o %t.hlsl
// EXIT: 3
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: writing HLSL: HLSL has no OpImageSampleDrefExplicitLod with Grad

layout(set = 0, binding = 0) uniform sampler2DShadow image;
layout(location = 0) in vec4 at;
layout(location = 0) out float colour;

void main() {
    colour = textureGrad(image, at.xyz, at.xy, at.xy);
}
