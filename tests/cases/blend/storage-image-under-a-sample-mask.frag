#version 450
// Early tests do not see the mask: what it leaves out would be stored.
// RUN: polyshade blend %s --equations screen --destination storage-image -o %t.spv
// EXIT: 3
// CHECK: samples that the shader's sample mask excludes would be stored anyway

layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;

void main() {
    gl_SampleMask[0] = 0;
    colour = vec4(0.5);
}
