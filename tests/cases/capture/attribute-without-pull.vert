#version 450
// Attributes are fetched where that is asked for.
// RUN: polyshade capture %s --varyings v --pull-set 2 --attribute 0=0:0:r32g32_sfloat --buffer 0=8 -o %t.spv
// EXIT: 2
// CHECK: --attribute has no meaning without --pull
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 v;

void main() {
    v = a;
    gl_Position = vec4(a, 0.0, 1.0);
}
