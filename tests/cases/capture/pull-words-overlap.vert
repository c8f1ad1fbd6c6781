#version 450
// Both steps cannot have the same words.
// RUN: polyshade capture %s --varyings v --params push-constant=0 --pull --pull-params push-constant=0 --attribute 0=0:0:r32g32_sfloat --buffer 0=8 -o %t.spv
// EXIT: 2
// CHECK: bytes 0..8 of the push constants are reserved
// CHECK: see --reserve-push-constants, --params
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 v;

void main() {
    v = a;
    gl_Position = vec4(a, 0.0, 1.0);
}
