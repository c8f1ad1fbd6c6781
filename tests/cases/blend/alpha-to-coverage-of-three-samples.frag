#version 450
// RUN: polyshade blend %s --blend one,one --alpha-to-coverage 3 -o %t.spv
// EXIT: 2
// CHECK: 1 to 32 samples

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
