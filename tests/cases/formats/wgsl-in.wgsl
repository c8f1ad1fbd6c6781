// WGSL is compiled by the program itself, with all its entry points; the position is not flipped.
// RUN: polyshade convert %f --spirv-version 1.0 -o %t.spv
// CHECK: OpEntryPoint Vertex %transform "transform"
// CHECK: OpEntryPoint Fragment %shade "shade"
// CHECK-NOT: OpFNegate

struct Varyings { @builtin(position) position: vec4<f32>, @location(0) colour: vec3<f32> }

@vertex fn transform(@location(0) p: vec3<f32>) -> Varyings {
    return Varyings(vec4<f32>(p, 1.0), p * 2.0);
}

@fragment fn shade(v: Varyings) -> @location(0) vec4<f32> {
    return vec4<f32>(v.colour, 1.0);
}
