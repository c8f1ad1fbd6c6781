#version 450
// WGSL has no offsets where texels are fetched: they are added to the coordinates.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: textureLoad(image, (vec2<i32>(_e10) + vec2<i32>(1i, 2i)), 0i);
// CHECK: + vec3<i32>(vec2<i32>(1i, 2i), i32()));
// CHECK: textureLoad(layers, vec2<i32>(

layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) uniform sampler2DArray layers;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;

void main() {
    colour = texelFetchOffset(image, ivec2(at), 0, ivec2(1, 2));
    colour += texelFetchOffset(layers, ivec3(at, 3), 0, ivec2(1, 2));
}
