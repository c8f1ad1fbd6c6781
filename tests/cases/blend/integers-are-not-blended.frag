#version 450
// RUN: polyshade blend %s --blend one,one --attachment-format R8G8B8A8_UINT -o %t.spv
// EXIT: 2
// CHECK: cannot blend an attachment with an integer format

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
