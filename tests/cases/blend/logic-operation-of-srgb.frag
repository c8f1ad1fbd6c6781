#version 450
// RUN: polyshade blend %s --logic-op xor --attachment-format R8G8B8A8_SRGB -o %t.spv
// EXIT: 3
// CHECK: formats of floats and sRGB have no logic operations

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
