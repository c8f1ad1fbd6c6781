#version 450
// RUN: polyshade clip %s --outputs clip=4.y -o %t.spv
// EXIT: 3
// CHECK: a distance is part of a matrix

layout(location = 0) in vec4 a;
layout(location = 4) out mat2 distances;

void main() {
    distances = mat2(10.0, 20.0, 30.0, 40.0);
    gl_Position = a;
}
