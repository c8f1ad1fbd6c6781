#version 450
// Of an invariant output that is not captured, nothing is left to keep.
// RUN: polyshade capture %s --varyings v -o %t.spv
// CHECK-NOT: NoContraction
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) out vec4 v;
invariant gl_Position;

void main() {
    v = a * b + a;
    gl_Position = v;
}
