#version 450
// RUN: polyshade blend %s --logic-op xor --attachment-format R8G8B8A8_SNORM -o %t.spv
// EXIT: 3
// CHECK: logic operations on signed normalized formats are not supported: a shader cannot distinguish their two values for -1

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
