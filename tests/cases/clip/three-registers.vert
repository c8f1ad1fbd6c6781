#version 450
// RUN: polyshade clip %s --outputs clip=1-2,cull=3 -o %t.spv
// EXIT: 2
// CHECK: clip and cull distances take at most 2 registers together, but are marked in 3: locations 1, 2, 3

layout(location = 1) out vec4 a[3];
void main() { a[0] = a[1] = a[2] = vec4(1.0); }
