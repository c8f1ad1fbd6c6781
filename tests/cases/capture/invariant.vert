#version 450
// Where an invariant output is captured, the pass that captures computes it as the pass that rasterizes does: without contraction.
// RUN: polyshade capture %s --varyings gl_Position -o %t.spv
// CHECK: NoContraction
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
invariant gl_Position;

void main() {
    gl_Position = a * b + a;
}
