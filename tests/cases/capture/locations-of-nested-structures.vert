#version 450
// Members and elements take locations one behind the other: 3 and 4 are v_parts[0].matrix, 6 and 7 that of the next.
// RUN: polyshade capture %s --varyings location=7.x,location=3-5 -o %t.spv
// CHECK: OpLoad %v2float
// CHECK: OpBitcast %v2uint
// CHECK: OpCompositeExtract %uint
// CHECK: OpLoad %v2float
// CHECK: OpLoad %v2float
// CHECK: OpLoad %float

struct Part {
    mat2 matrix;
    float weight;
};
layout(location = 3) out Part v_parts[2];

void main() {
    v_parts[0] = Part(mat2(1.0), 2.0);
    v_parts[1] = Part(mat2(3.0), 4.0);
    gl_Position = vec4(0.0);
}
