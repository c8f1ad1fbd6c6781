#version 450
// RUN: polyshade blend %s --equations multiply --alpha-to-coverage 4 -o %t.spv
// EXIT: 2
// CHECK: alpha to coverage has 4 samples, but multisampled attachments are not requested
// CHECK: --multisampled

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
