#version 450
// A compute stage has no attribute to find words by either.
// RUN: polyshade capture %s --varyings v --path compute --pull --pull-params address:attribute=3 --attribute 0=0:0:r32g32_sfloat --buffer 0=8 -o %t.spv
// EXIT: 3
// CHECK: cannot capture in a compute stage: it has no vertex attributes, not even constant attributes
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 v;

void main() {
    v = a;
    gl_Position = vec4(a, 0.0, 1.0);
}
