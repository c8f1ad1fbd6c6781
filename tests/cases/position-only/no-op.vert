#version 450
// Everything is needed: the words stay as they are.
// RUN: polyshade position-only %s -o %t.spv

layout(location = 0) in vec4 place;

void main() {
    gl_Position = place;
}
