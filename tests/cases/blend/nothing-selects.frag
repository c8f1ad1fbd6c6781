#version 450
// RUN: polyshade blend %s --equations khr -o %t.spv
// EXIT: 2
// CHECK: a target has 15 equations, but no host parameter selects one

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
