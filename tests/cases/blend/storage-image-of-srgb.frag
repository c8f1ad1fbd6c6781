#version 450
// RUN: polyshade blend %s --equations multiply --destination storage-image --attachment-format R8G8B8A8_SRGB -o %t.spv
// EXIT: 3
// CHECK: cannot blend in an sRGB storage image: its stores are not encoded

layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
