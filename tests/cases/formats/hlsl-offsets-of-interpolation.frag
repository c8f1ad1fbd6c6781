#version 450
// HLSL counts sixteenths of a pixel.
// RUN: polyshade convert %s -o %t.hlsl
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: EvaluateAttributeSnapped(at, clamp(round(0.25f.xx * 16.0f.xx), (-8.0f).xx, 7.0f.xx));

layout(location = 0) in vec2 at;
layout(location = 0) out vec2 colour;

void main() {
    colour = interpolateAtOffset(at, vec2(0.25));
}
