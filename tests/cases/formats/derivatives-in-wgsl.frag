#version 450
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: diagnostic(off, derivative_uniformity);
// CHECK: textureSample(
// CHECK: 340282346638528859811704183484516925440f

layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;

void main() {
    if (at.x > 0.5) colour = texture(image, at);
    else colour = min(vec4(3.402823466e38), vec4(at, at));
}
