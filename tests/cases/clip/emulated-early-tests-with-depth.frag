#version 450
// With early tests this depth has no effect; with late ones it would have.
// RUN: polyshade clip %s --emulate 4 --signature 1,1 -o %t.spv
// EXIT: 3
// CHECK: writes the depth

layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;
void main() { gl_FragDepth = 0.5; colour = vec4(1.0); }
