#version 450
// RUN: polyshade blend %s --equations multiply --destination texture --index 2 -o %t.spv
// EXIT: 2
// CHECK: --index has no meaning for this --destination

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
