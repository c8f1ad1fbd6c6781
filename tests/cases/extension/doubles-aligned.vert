#version 450
// 64 bits at a multiple of 8, with a stride that is one too, are decorated.
// RUN: polyshade capture %s --path extension --varyings v_double,v_float,gl_SkipComponents1 -o %t.spv
// CHECK: OpDecorate %v_double XfbStride 16
// CHECK-NOT: OpFunctionCall
layout(location = 0) flat out double v_double;
layout(location = 1) out float v_float;

void main() {
    v_double = 1.0lf;
    v_float = 2.0;
    gl_Position = vec4(0.0);
}
