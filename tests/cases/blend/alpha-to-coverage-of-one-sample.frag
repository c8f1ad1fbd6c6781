#version 450
// RUN: polyshade blend %s --equations multiply --alpha-to-coverage 4 -o %t.spv
// EXIT: 2
// CHECK: alpha to coverage is of 4 samples, and attachments of several samples are not asked for
// CHECK: --multisampled

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
