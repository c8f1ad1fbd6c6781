#version 450
// Members of a block that nothing needs go; the others keep their offsets.
// RUN: polyshade position-only %s -o %t.spv
// CHECK: OpMemberDecorate %Block 0 Offset 64
// CHECK-NOT: Offset 0
// CHECK-NOT: tint
// CHECK: OpTypeStruct %mat4v4float

layout(location = 0) in vec4 place;
layout(location = 0) out vec4 v_colour;
layout(set = 1, binding = 2) uniform Block { mat4 other; mat4 view; vec4 tint; } block;

void main() {
    v_colour = block.tint;
    gl_Position = block.view * place;
}
