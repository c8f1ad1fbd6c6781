#version 450
// RUN: polyshade blend %s --logic-op xor --attachment-format R8G8B8A8_UINT -o %t.spv
// EXIT: 3
// CHECK: the output at location 0 consists of signed integers

layout(location = 0) out ivec4 colour;

void main() {
    colour = ivec4(1);
}
