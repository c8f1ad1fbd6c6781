#version 450
// RUN: polyshade rasterizer-discard %s --when specialization=7 -o %t.spv
// EXIT: 2
// CHECK: the shader already has specialization constant 7
layout(constant_id = 7) const float c = 1.0;

void main() {
    gl_Position = vec4(c);
}
