// From SPIR-V 1.4 an interface lists every global variable.
// RUN: rewrite wrap
// Version: 1.6
// CHECK: OpEntryPoint Vertex %main "main" %v %counter
// CHECK: %counter = OpVariable
#version 450
layout(location = 0) out float v;
void main() { v = 1.0; }
