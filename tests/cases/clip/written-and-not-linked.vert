#version 450
// Plane y would clip no more, and nothing would say so.
// RUN: polyshade clip %s --outputs clip=3.xy --linked-outputs clip=3.x -o %t.spv
// EXIT: 2
// CHECK: component 1 of location 3 is a clip distance that the stage writes but that is not linked

layout(location = 3) out vec2 a;
void main() { a = vec2(1.0); gl_Position = vec4(0.0); }
