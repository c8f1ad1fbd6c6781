#version 450
// RUN: polyshade blend %s --blend one,src1-color -o %t.spv
// EXIT: 2
// CHECK: a factor is of the second source, and location 0 has none

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
