#version 450
// RUN: polyshade blend %s --equations multiply --select-offset 16 -o %t.spv
// EXIT: 2
// CHECK: --select-offset has no meaning for what --select asks for

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
