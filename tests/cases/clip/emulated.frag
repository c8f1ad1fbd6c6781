#version 450
// RUN: polyshade clip %s --emulate 4 --signature 1,1 -o %t.spv
// CHECK: OpDPdx
// CHECK: OpKill

layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
