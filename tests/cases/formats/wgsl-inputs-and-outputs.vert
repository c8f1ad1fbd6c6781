#version 450
// Arrays, matrices and structures become a variable for each vector in them, at the location that Vulkan gives it.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: @location(0) member: vec2<f32>
// CHECK: @location(1) member_1: vec2<f32>
// CHECK: @location(2) member_2: f32
// CHECK: @location(3) member_3: f32
// CHECK: @location(4) @interpolate(flat) member_4: vec3<i32>
// CHECK: @location(5) @interpolate(flat) member_5: vec3<i32>
// CHECK: @location(6) @interpolate(linear) member_6: vec2<f32>
// CHECK: @location(0) p: vec4<f32>, @location(1) m_0_: vec3<f32>, @location(2) m_1_: vec3<f32>

layout(location = 0) in vec4 p;
layout(location = 1) in mat2x3 m;
struct S { mat2 m; float c[2]; };
layout(location = 0) out S s;
layout(location = 4) out Block { flat ivec3 k[2]; noperspective vec2 uv; };

void main() {
    s.m = mat2(m[0].xy, m[1].xy);
    s.c[gl_VertexIndex & 1] = p.x;
    k[0] = k[1] = ivec3(p.xyz);
    uv = p.xy;
    gl_Position = p;
}
