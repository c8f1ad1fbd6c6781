#version 450
// OpenGL's names pad nothing, and no decoration may put 64 bits at an odd word: they are copied as words.
// RUN: polyshade capture %s --path extension --varyings v_float,v_double -o %t.spv
// CHECK: OpDecorate %polyshade_captured_0_1 Offset 4
// CHECK: OpBitcast %v2uint
layout(location = 0) flat out double v_double;
layout(location = 1) out float v_float;

void main() {
    v_double = 1.0lf;
    v_float = 2.0;
    gl_Position = vec4(0.0);
}
