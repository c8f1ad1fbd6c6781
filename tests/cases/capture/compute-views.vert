#version 450
// Compute stages have no views, and no other number of the draw than that of the indices' word.
// RUN: polyshade capture %s --varyings v --path compute -o %t.spv
// EXIT: 3
// CHECK: cannot capture in a compute stage: it lacks a built-in input that the shader reads
#extension GL_EXT_multiview : require
layout(location = 0) flat out int v;

void main() {
    v = gl_ViewIndex;
}
