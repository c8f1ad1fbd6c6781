#version 450
// RUN: polyshade blend %s --equations multiply --alpha-to-coverage 4 --multisampled -o %t.spv
// EXIT: 3
// CHECK: the output there has none

layout(location = 0) out vec3 colour;

void main() {
    colour = vec3(0.5);
}
