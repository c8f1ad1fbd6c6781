#version 450
// RUN: polyshade clip %s --native clip -o %t.spv
// EXIT: 2
// CHECK: --native needs --emulate or --exact

out float gl_ClipDistance[1];
void main() { gl_Position = vec4(0.0); gl_ClipDistance[0] = 1.0; }
