#version 450
// Where attributes are is known, so the length of an array is no specialization constant.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r32_sfloat --buffer 0=4 -o %t.spv
// EXIT: 3
// CHECK: the size of the input depends on a specialization constant
layout(constant_id = 0) const int LENGTH = 2;
layout(location = 0) in float a_values[LENGTH];

void main() {
    gl_Position = vec4(a_values[0]);
}
