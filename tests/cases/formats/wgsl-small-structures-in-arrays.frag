#version 450
// Structures of uniform blocks are 16 bytes apart.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: @size(12) least: f32,
// CHECK: = unnamed.all[1i].least;

layout(location = 0) out vec4 colour;
struct Small { float less; float least; };
layout(binding = 0) uniform Block { Small all[2]; };

void main() {
    colour = vec4(all[1].least);
}
