#version 450
// RUN: polyshade convert %s -o %t.wgsl
// EXIT: 3
// KNOWN: naga refuses unknown instructions
// CHECK: writing WGSL: WGSL has no offsets for one-dimensional textures

layout(set = 0, binding = 0) uniform sampler1D line;
layout(location = 0) in float at;
layout(location = 0) out vec4 colour;

void main() {
    colour = textureOffset(line, at, 3);
}
