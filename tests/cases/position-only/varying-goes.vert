#version 450
// The varying goes, and its attribute, its name and its arithmetic with it.
// RUN: polyshade position-only %s -o %t.spv
// CHECK: OpEntryPoint Vertex %main "main" %_ %place
// CHECK-NOT: colour
// CHECK-NOT: OpFMul

layout(location = 0) in vec4 place;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = colour * 2.0;
    gl_Position = place;
}
