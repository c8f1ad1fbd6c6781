#version 450
// An advanced equation has no second source: the output goes, as nothing reads it.
// RUN: polyshade blend %s --equations multiply -o %t.spv
// CHECK-NOT: Index 1

layout(location = 0, index = 0) out vec4 colour;
layout(location = 0, index = 1) out vec4 factor;

void main() {
    colour = vec4(0.5);
    factor = vec4(0.25);
}
