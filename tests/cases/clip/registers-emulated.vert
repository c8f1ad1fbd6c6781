#version 450
// RUN: polyshade clip %s --outputs clip=3.xy --emulate 8 -o %t.spv
// CHECK: OpDecorate %polyshade_distances_0 Location 8

layout(location = 3) out vec2 a;
void main() { a = vec2(1.0); gl_Position = vec4(0.0); }
