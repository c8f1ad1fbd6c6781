#version 450
// Members of gl_PerVertex that are declared and never written go, and what declared them.
// RUN: polyshade clip %s --repair unused -o %t.spv
// CHECK-NOT: BuiltIn ClipDistance
// CHECK: BuiltIn Position
// CHECK-NOT: BuiltIn CullDistance

void main() { gl_Position = vec4(1.0); }
