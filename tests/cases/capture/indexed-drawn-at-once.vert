#version 450
// What is drawn with indices runs for each of them any number of times.
// RUN: polyshade capture %s --varyings v --indexed --variant both=%t.spv -o %t.capture.spv
// EXIT: 3
// CHECK: draws with indices are captured by a point list
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
}
