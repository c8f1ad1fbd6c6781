#version 450
// RUN: polyshade convert %s -o %t.metal
// CHECK: ]] vertex void main0(

layout(triangles) in;
layout(set = 0, binding = 0) buffer Sums { float sum; };

void main() {
    sum = gl_TessCoord.x;
}
