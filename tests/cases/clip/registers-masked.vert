#version 450
// Direct3D's registers and a mask of planes in one call: they are arrays before they are masked.
// RUN: polyshade clip %s --outputs clip=3.xy --to arrays --enable 1 -o %t.spv
// CHECK: BuiltIn ClipDistance
// CHECK: OpBitwiseAnd
// CHECK: OpSelect %float

layout(location = 3) out vec2 a;
void main() { a = vec2(1.0); gl_Position = vec4(0.0); }
