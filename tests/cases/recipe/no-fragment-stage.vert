// A field for which the pipeline has no stage.
// RUN: polyshade pipeline {"emulate":"all"} %s -o %t.spv
// EXIT: 2
// CHECK: emulate: the pipeline has no fragment stage
#version 450
void main() { gl_Position = vec4(1.0); }
