// An entry point has one block of push constants: words at several places of it, and addresses, are added together.
// RUN: polyshade clip-space %f --range push-constant=16 --flip-y push-constant=24 --rotate address:push-constant=32 --validate -o %t.spv
// CHECK: OpMemberDecorate %P 0 Offset 0
// CHECK: OpMemberDecorate %P 1 Offset 16
// CHECK: OpMemberDecorate %P 2 Offset 24
// CHECK: OpMemberDecorate %P 3 Offset 32
// CHECK: OpMemberDecorate %P 4 Offset 36

#version 450

layout(push_constant) uniform P {
    vec2 offset;
};

void main() {
    gl_Position = vec4(offset, 0, 1);
}
