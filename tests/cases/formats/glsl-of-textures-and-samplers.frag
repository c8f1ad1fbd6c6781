#version 450
#extension GL_EXT_samplerless_texture_functions : require
// OpenGL has pairs; the first of a texture is at its binding.
// RUN: polyshade convert %s -o %t.glsl
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: layout(binding = 2) uniform sampler2D SPIRV_Cross_Combinedpictureonce;
// CHECK: uniform sampler2D SPIRV_Cross_Combinedpicturetwice;
// CHECK: layout(binding = 3) uniform sampler2D SPIRV_Cross_CombinedtexelsSPIRV_Cross_DummySampler;

layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 2) uniform texture2D picture;
layout(set = 0, binding = 3) uniform texture2D texels;
layout(set = 0, binding = 4) uniform sampler once;
layout(set = 0, binding = 5) uniform sampler twice;

void main() {
    colour = texture(sampler2D(picture, once), at) + texture(sampler2D(picture, twice), at);
    colour += texelFetch(texels, ivec2(0), 0);
}
