#version 450
// RUN: polyshade blend %s --entry other --equations multiply -o %t.spv
// EXIT: 1
// CHECK: other

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
