#version 450
#extension GL_EXT_fragment_shading_rate : require
// The pass that captures rasterizes nothing: it needs no feature for the rate of what is rasterized.
// RUN: polyshade capture %s --varyings v -o %t.spv
// CHECK: OpCapability
// CHECK-NOT: FragmentShadingRateKHR
// CHECK: OpEntryPoint
// CHECK-NOT: PrimitiveShadingRateKHR
layout(location = 0) in float a;
layout(location = 0) out float v;

void main() {
    v = a;
    gl_Position = vec4(a);
    gl_PrimitiveShadingRateEXT = gl_ShadingRateFlag2VerticalPixelsEXT;
}
