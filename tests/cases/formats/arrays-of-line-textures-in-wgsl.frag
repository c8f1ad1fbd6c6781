#version 450
// RUN: polyshade convert %s -o %t.wgsl
// EXIT: 3
// KNOWN: naga refuses unknown instructions
// CHECK: writing WGSL: WGSL has no arrayed one-dimensional textures

layout(set = 0, binding = 0) uniform sampler1DArray lines;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;

void main() {
    colour = texture(lines, at);
}
