// RUN: rewrite discard-rasterization 0
// EXIT: 1
// CHECK: the shader writes no position
#version 450
layout(location = 0) out vec4 v;
void main() { v = vec4(1.0); }
