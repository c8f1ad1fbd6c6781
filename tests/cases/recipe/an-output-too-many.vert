// There is an output for each stage.
// RUN: polyshade pipeline {} %s -o %t.spv -o %t.frag.spv
// EXIT: 2
// CHECK: the pipeline has 1 stages (vertex), but 2 outputs are named
#version 450
void main() { gl_Position = vec4(1.0); }
