#version 450
// RUN: polyshade clip %s --to registers -o %t.spv
// EXIT: 2
// CHECK: --to registers needs --location

void main() { gl_Position = vec4(0.0); }
