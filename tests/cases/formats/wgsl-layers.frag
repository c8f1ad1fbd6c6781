#version 450
// Vulkan takes the nearest layer: 0.9999 is layer 1.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: = vec3<f32>(_e9.x, _e9.y, round(_e9.z));
// CHECK: textureSample(layers,
// CHECK: round(_e22.z)
// CHECK: textureSampleCompare(shadows,
// CHECK: round(_e37.w)
// CHECK: textureSample(cubes,

layout(set = 0, binding = 0) uniform sampler2DArray layers;
layout(set = 0, binding = 1) uniform sampler2DArrayShadow shadows;
layout(set = 0, binding = 2) uniform samplerCubeArray cubes;
layout(location = 0) in vec4 at;
layout(location = 0) out vec4 colour;

void main() {
    colour = texture(layers, at.xyz);
    colour += texture(shadows, at) + texture(cubes, at);
}
