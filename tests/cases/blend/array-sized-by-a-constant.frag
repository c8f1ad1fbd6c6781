#version 450
// RUN: polyshade blend %s --equations multiply -o %t.spv
// EXIT: 3
// CHECK: the size of an array of colour outputs depends on a specialization constant

layout(constant_id = 0) const int count = 2;
layout(location = 0) out vec4 colours[count];

void main() {
    colours[0] = vec4(0.5);
}
