// RUN: rewrite output-at-end
// CHECK: OpDecorate %end Location 0
#version 450
void main() { gl_Position = vec4(1); }
