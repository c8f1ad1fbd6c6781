#version 450
// RUN: polyshade clip %s --outputs clip=3 -o %t.spv
// EXIT: 3
// CHECK: the size of an array of distances depends on a specialization constant

layout(constant_id = 1) const int count = 3;
layout(location = 0) in vec4 a;
layout(location = 3) out float distances[count];

void main() {
    for (int i = 0; i < count; i++) distances[i] = a[i];
    gl_Position = a;
}
