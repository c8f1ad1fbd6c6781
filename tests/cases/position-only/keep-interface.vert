#version 450
// Inputs and resources stay, though nothing needs them.
// RUN: polyshade position-only %s --keep-interface -o %t.spv
// CHECK: OpEntryPoint Vertex %main "main" %colour %__0 %place
// CHECK: OpMemberDecorate %Block 0 Offset 0
// CHECK-NOT: OpFMul

layout(location = 0) in vec4 place;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 v_colour;
layout(set = 1, binding = 2) uniform Block { vec4 tint; };

void main() {
    v_colour = colour * tint;
    gl_Position = place;
}
