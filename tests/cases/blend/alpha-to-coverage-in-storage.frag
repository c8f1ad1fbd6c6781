#version 450
// RUN: polyshade blend %s --equations multiply --alpha-to-coverage 4 --multisampled --destination storage-image -o %t.spv
// EXIT: 3
// CHECK: cannot emulate alpha to coverage with storage images

layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
