#version 450
// RUN: polyshade blend %s --equations multiply --destination storage-image --attachment-format R8G8B8A8_SRGB -o %t.spv
// EXIT: 3
// CHECK: cannot blend in a storage image of sRGB: nothing encodes its stores

layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
