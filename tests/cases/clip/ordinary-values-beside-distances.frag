#version 450
// What is not marked stays where it is.
// RUN: polyshade clip %s --inputs clip=2.xy -o %t.spv
// CHECK: OpDecorate %gl_ClipDistance BuiltIn ClipDistance
// CHECK: OpDecorate %mixed_interface Location 2

layout(location = 2) in vec4 mixed;
layout(location = 0) out vec4 colour;

void main() { colour = mixed; }
