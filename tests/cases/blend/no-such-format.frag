#version 450
// RUN: polyshade blend %s --equations multiply --attachment-format 0=D32_SFLOAT -o %t.spv
// EXIT: 2
// CHECK: is not a format of a colour attachment

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
