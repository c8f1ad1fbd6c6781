#version 450
// The complement has the other outputs, and no position.
// RUN: polyshade position-only %s -o %t.position.spv --complement %t.spv
// CHECK: OpEntryPoint Vertex %main "main" %v_colour %colour
// CHECK-NOT: gl_PerVertex

layout(location = 0) in vec4 place;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = colour * 2.0;
    gl_Position = place;
}
