#version 450
// RUN: polyshade blend %s --logic-op xor --attachment-format R8G8B8A8_SRGB -o %t.spv
// EXIT: 3
// CHECK: logic operations do not apply to floating-point and sRGB formats

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
