#version 450
// RUN: polyshade blend %s --equations screen --destination storage-image -o %t.spv
// EXIT: 3
// CHECK: the shader discards fragments that early fragment tests have already counted
// CHECK: declare EarlyFragmentTests in the shader

layout(location = 0) in float x;
layout(location = 0) out vec4 colour;

void main() {
    if (x < 0.0) discard;
    colour = vec4(0.5);
}
