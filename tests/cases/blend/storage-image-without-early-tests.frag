#version 450
// A fragment that fails the depth test behind the shader would have been stored.
// RUN: polyshade blend %s --equations screen --destination storage-image -o %t.spv
// EXIT: 3
// CHECK: stored all the same

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
