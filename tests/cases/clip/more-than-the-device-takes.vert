#version 450
// RUN: polyshade clip %s --outputs clip=1,cull=2.xy --max-combined 5 -o %t.spv
// EXIT: 3
// CHECK: cannot use 4 clip and 2 cull distances: 6 is more than maxCombinedClipAndCullDistances, 5

layout(location = 1) out vec4 a;
layout(location = 2) out vec4 b;
void main() { a = b = vec4(1.0); }
