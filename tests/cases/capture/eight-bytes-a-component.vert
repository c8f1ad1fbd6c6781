#version 450
// Components of 64 bits are refused by name.
// RUN: polyshade capture %s --varyings v_time -o %t.spv
// EXIT: 3
// CHECK: `v_time` has components of 64 bits, not 32

layout(location = 0) out double v_time;

void main() {
    v_time = 1.0lf;
    gl_Position = vec4(0.0);
}
