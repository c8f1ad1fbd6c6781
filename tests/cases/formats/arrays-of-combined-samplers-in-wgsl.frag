#version 450
// Elements become variables, where it is known which.
// RUN: polyshade convert %s -o %t.wgsl
// EXIT: 3
// CHECK: WGSL has no arrays of combined image samplers, and `pictures` is one

layout(location = 0) in vec2 at;
layout(location = 1) flat in int which;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 2) uniform sampler2D pictures[2];

void main() {
    colour = texture(pictures[which], at);
}
