#version 450
// RUN: polyshade blend %s --equations multiply --select uniform=3:0 -o %t.spv
// EXIT: 2
// CHECK: added twice

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
