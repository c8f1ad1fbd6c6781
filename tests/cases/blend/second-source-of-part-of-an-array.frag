#version 450
// RUN: polyshade blend %s --blend 0=src1-alpha,zero -o %t.spv
// EXIT: 3
// CHECK: shares its variable

layout(location = 0) out vec4 a[2];
layout(location = 0, index = 1) out vec4 b[2];

void main() {
    a[0] = a[1] = vec4(1);
    b[0] = b[1] = vec4(0.5);
}
