#version 450
// RUN: polyshade blend %s --logic-op xor --attachment-format R8G8B8A8_UINT -o %t.spv
// EXIT: 3
// CHECK: the output at location 0 consists of floats

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
