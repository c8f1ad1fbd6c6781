#version 450
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK-NOT: diagnostic
// CHECK: textureSampleLevel(

layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;

void main() {
    colour = textureLod(image, at, 0.0);
}
