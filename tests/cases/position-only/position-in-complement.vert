#version 450
// A varying depends on the position, which is computed there and is no output.
// RUN: polyshade position-only %s -o %t.position.spv --complement %t.spv
// CHECK: OpEntryPoint Vertex %main "main" %place %v_depth
// CHECK: Private
// CHECK-NOT: BuiltIn

layout(location = 0) in vec4 place;
layout(location = 0) out float v_depth;

void main() {
    gl_Position = place * 2.0;
    v_depth = gl_Position.z;
}
