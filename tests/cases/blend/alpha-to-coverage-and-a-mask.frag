#version 450
// The mask of the shader holds as well.
// RUN: polyshade blend %s --equations multiply --alpha-to-coverage 4 --multisampled -o %t.spv
// CHECK: OpLoad %int
// CHECK: OpFunctionCall %int %coverage
// CHECK: OpBitwiseAnd %int

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
    gl_SampleMask[0] = 5;
}
