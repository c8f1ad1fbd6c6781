#version 450
// Variables with a component are parts of a vector of four, alone or with others.
// RUN: polyshade convert %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: let _e9 = one_2;
// CHECK: one_1 = _e9.z;
// CHECK: let _e11 = two_three_1;
// CHECK: two = _e11.yz;
// CHECK: three = _e11.w;
// CHECK: low_high = vec4<f32>(_e18.x, _e18.y, f32(), _e21);
// CHECK: fn main(@location(0) one: vec4<f32>, @location(1) two_three: vec4<f32>)

layout(location = 0, component = 2) in float one;
layout(location = 1, component = 1) in vec2 two;
layout(location = 1, component = 3) in float three;
layout(location = 0, component = 0) out vec2 low;
layout(location = 0, component = 3) out float high;

void main() {
    low = two * one;
    high = three;
}
