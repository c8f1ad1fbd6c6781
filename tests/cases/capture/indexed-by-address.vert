#version 450
// Indices of a known width, and the table of where they restart primitives, are found by their addresses.
// RUN: polyshade capture %s --varyings v --indexed=uint16 --restart --topologies triangle-strip --params address:push-constant=0 -o %t.spv
// CHECK-NOT: DescriptorSet
// CHECK: %table_word = OpFunction
// CHECK: %of_segment = OpFunction
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
