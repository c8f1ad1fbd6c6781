// What WGSL calls its outputs is what they are captured by.
// RUN: polyshade capture %f --varyings colour --validate -o %t.metal
// CHECK: vertex void transform(

struct Varyings { @builtin(position) position: vec4<f32>, @location(0) colour: vec3<f32> }

@vertex fn transform(@location(0) p: vec3<f32>) -> Varyings {
    return Varyings(vec4<f32>(p, 1.0), p * 2.0);
}
