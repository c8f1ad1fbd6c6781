#version 450
// RUN: polyshade blend %s --equations screen --destination storage-image -o %t.spv
// EXIT: 3
// CHECK: the shader discards fragments, which early tests have counted already
// CHECK: declare them in the shader

layout(location = 0) in float x;
layout(location = 0) out vec4 colour;

void main() {
    if (x < 0.0) discard;
    colour = vec4(0.5);
}
