#version 450
// RUN: polyshade clip %s --emulate 4 --signature 1,1 -o %t.spv
// CHECK: OpDecorate %polyshade_distances_0 Sample
// CHECK-NOT: OpDecorate %polyshade_distances_0_0 Sample

layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_SamplePosition, 0.0, 1.0); }
