#version 450
// There are four feedback buffers, 0 to 3.
// RUN: polyshade capture %s --varyings a,gl_NextBuffer,b,gl_NextBuffer,c,gl_NextBuffer,d,gl_NextBuffer,gl_Position -o %t.spv
// EXIT: 2
// CHECK: cannot capture to feedback buffer 4: the last buffer is 3

layout(location = 0) out float a;
layout(location = 1) out float b;
layout(location = 2) out float c;
layout(location = 3) out float d;

void main() {
    a = b = c = d = 1.0;
    gl_Position = vec4(0.0);
}
