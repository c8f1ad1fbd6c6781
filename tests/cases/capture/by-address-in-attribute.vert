#version 450
// The address is an attribute of two words, the same for all vertices.
// RUN: polyshade capture %s --varyings v --params address:attribute=3 -o %t.spv
// CHECK: OpDecorate %polyshade_host Location 3
// CHECK-NOT: DescriptorSet
// CHECK: OpLoad %v2uint
layout(location = 0) in float a;
layout(location = 2) in float b;
layout(location = 0) out float v;

void main() {
    v = a + b;
    gl_Position = vec4(v);
}
