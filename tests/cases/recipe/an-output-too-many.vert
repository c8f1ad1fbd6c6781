// There is an output for each stage.
// RUN: polyshade pipeline {} %s -o %t.spv -o %t.frag.spv
// EXIT: 2
// CHECK: there are 1 stages (vertex), and 2 outputs
#version 450
void main() { gl_Position = vec4(1.0); }
