#version 450
// RUN: polyshade blend %s --equations multiply --multisampled -o %t.spv
// EXIT: 3
// CHECK: cannot run the shader for each sample: the sample mask that it reads would have one bit

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(float(bitCount(gl_SampleMaskIn[0])) / 4.0);
}
