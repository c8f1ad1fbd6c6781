#version 450
// RUN: polyshade capture --varyings v --strides 32 %s -o %t.spv
// EXIT: 2
// CHECK: cannot be used with
layout(location = 0) out vec4 v;
void main() { v = vec4(1.0); gl_Position = v; }
