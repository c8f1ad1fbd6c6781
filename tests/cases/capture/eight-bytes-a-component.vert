#version 450
// A component of 64 bits is stored as two words, the lower one first; by name nothing is aligned to 8 bytes.
// RUN: polyshade capture %s --varyings v_weight,v_times -o %t.spv
// CHECK: OpBitcast %v2uint
// CHECK: OpCompositeExtract %uint
// CHECK: OpCompositeExtract %uint

layout(location = 0) out float v_weight;
layout(location = 1) flat out dvec3 v_times;

void main() {
    v_weight = 0.5;
    v_times = dvec3(1.0lf);
    gl_Position = vec4(0.0);
}
