#version 450
// Where the value of a constant is not given, the size is not known: the default may not be what the host sets.
// RUN: polyshade capture %s --varyings v_values -o %t.spv
// EXIT: 3
// CHECK: the size of `v_values` depends on a specialization constant
// CHECK: give the value of constant 7 in the options

layout(constant_id = 7) const int c_count = 3;
layout(location = 0) out float v_values[c_count];

void main() {
    v_values[0] = 1.0;
    gl_Position = vec4(0.0);
}
