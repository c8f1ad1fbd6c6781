// A module of several entry points becomes a text of one.
// RUN: polyshade convert %f -o %t.hlsl
// EXIT: 2
// CHECK: select it with --entry

@vertex fn transform(@location(0) p: vec4<f32>) -> @builtin(position) vec4<f32> { return p; }
@fragment fn shade() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }
