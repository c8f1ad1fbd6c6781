#version 450
// RUN: polyshade blend %s --blend one,src1-color -o %t.spv
// EXIT: 2
// CHECK: a blend factor reads the second source, but location 0 has none

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
