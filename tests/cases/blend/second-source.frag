#version 450
// RUN: polyshade blend %s --equations multiply -o %t.spv
// EXIT: 3
// CHECK: the shader has a second source colour

layout(location = 0, index = 0) out vec4 colour;
layout(location = 0, index = 1) out vec4 factor;

void main() {
    colour = vec4(0.5);
    factor = vec4(0.25);
}
