// A dead output goes, and one that is read stays as memory.
// RUN: rewrite dce without-output a without-output b
// CHECK: OpName %a "a"
// CHECK-NOT: %b
#version 450
layout(location = 0) in vec4 x;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() { a = x; b = x * 2.0; gl_Position = a; }
