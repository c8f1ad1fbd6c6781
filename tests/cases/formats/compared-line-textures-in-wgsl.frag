#version 450
// RUN: polyshade convert %s -o %t.wgsl
// EXIT: 3
// KNOWN: naga refuses unknown instructions
// CHECK: writing WGSL: WGSL has no one-dimensional depth textures

layout(set = 0, binding = 0) uniform sampler1DShadow shadow;
layout(location = 0) in vec3 at;
layout(location = 0) out float colour;

void main() {
    colour = texture(shadow, at);
}
