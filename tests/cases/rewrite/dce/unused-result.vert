// A function is still called for what it stores, and what it would return is not computed.
// RUN: rewrite dce
// CHECK-NOT: OpExtInst
// CHECK: OpUndef
// CHECK-NOT: OpUndef
// CHECK-NOT: OpExtInst
// CHECK: OpFunctionCall
// CHECK-NOT: OpFunctionCall
// CHECK-NOT: OpExtInst
// CHECK-NOT: OpUndef
#version 450
layout(location = 0) in vec4 x;
float both(out vec4 y) { y = x; return sin(x.x) * cos(x.y); }
void main() { vec4 a; both(a); gl_Position = a; }
