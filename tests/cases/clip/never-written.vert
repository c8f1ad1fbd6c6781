#version 450
// A shader that never writes a distance does not declare it.
// RUN: polyshade clip %s --outputs clip=2 -o %t.spv
// CHECK-NOT: BuiltIn ClipDistance
// CHECK: OpFunctionEnd

layout(location = 2) out vec4 planes;
layout(location = 0) out vec4 colour;

void main() { colour = vec4(1.0); }
