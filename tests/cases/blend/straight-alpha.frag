#version 450
// Straight colours are not divided; the result is.
// RUN: polyshade blend %s --equations multiply --source-alpha straight --destination-alpha straight --overlap conjoint --clamp-results --format-class snorm -o %t.spv
// CHECK: OpFunctionCall %v4float %to_snorm
// CHECK: OpFunctionCall %v3float %conjoint
// CHECK: OpFunctionCall %v4float %blend_multiply
// CHECK: OpFunctionCall %v4float %unpremultiply
// CHECK: OpFunctionCall %v4float %to_unorm

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
