#version 450
// Several samples: the shader runs for each and reads its own.
// RUN: polyshade blend %s --equations overlay --multisampled -o %t.spv
// CHECK: OpCapability SampleRateShading
// CHECK: BuiltIn SampleId
// CHECK: OpImageRead %v4float
// CHECK: OpStore %colour_interface

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
    gl_SampleMask[0] = 5;
}
