#version 450
// Only what is culled is discarded.
// RUN: polyshade clip %s --emulate 4 --signature 1,1 --native clip -o %t.spv
// CHECK: OpDPdx
// CHECK-NOT: OpFOrdGreaterThanEqual
// CHECK: OpKill

layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
