#version 450
// What is kept is decorated.
// RUN: polyshade position-only %s --invariant --keep position -o %t.spv
// CHECK: Invariant

layout(location = 0) in vec4 place;

void main() {
    gl_Position = place * 2.0;
}
