#version 450
// The size of an output may depend on specialization constants; where their values are given, they are plain constants.
// RUN: polyshade capture %s --varyings v_values,v_last[5] --specialize 7=3,8=-1 -o %t.spv
// CHECK-NOT: SpecId 7
// CHECK: OpDecorate %c_other SpecId 9
// CHECK: %c_count = OpConstant %int 3
// CHECK: %c_other = OpSpecConstant %int 5
// CHECK: %c_offset = OpConstant %int -1
// CHECK: OpConstant %int 6

layout(constant_id = 7) const int c_count = 1;
layout(constant_id = 8) const int c_offset = 0;
layout(constant_id = 9) const int c_other = 5;
layout(location = 0) out float v_values[c_count];
layout(location = 4) out float v_last[c_count * 2 - (c_offset + 1)];

void main() {
    for (int i = 0; i < c_count; ++i)
        v_values[i] = float(i * c_other);
    v_last[c_count] = 1.0;
    gl_Position = vec4(0.0);
}
