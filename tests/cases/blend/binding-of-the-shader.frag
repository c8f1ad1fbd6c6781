#version 450
// RUN: polyshade blend %s --equations multiply -o %t.spv
// EXIT: 2
// CHECK: the shader already uses binding 0 of set 3

layout(set = 3, binding = 0) uniform Tint { vec4 tint; };
layout(location = 0) out vec4 colour;

void main() {
    colour = tint;
}
