#version 450
// The alpha that the shader writes becomes coverage, before it is blended.
// RUN: polyshade blend %s --equations multiply --alpha-to-coverage 4 --multisampled -o %t.spv
// CHECK: BuiltIn SampleMask
// CHECK: OpFunctionCall %int %coverage
// CHECK: OpFunctionCall %v4float %polyshade_blend_target

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
