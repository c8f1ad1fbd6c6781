#version 450
// RUN: polyshade blend %s --target 1=multiply --alpha-to-one -o %t.spv
// EXIT: 3
// CHECK: leave alphaToOneEnable on

layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;

void main() {
    first = vec4(0.5);
    second = vec4(0.25);
}
