#version 450
// In MSL the masks are numbers, of which the body's function gets references.
// RUN: polyshade clip %s --emulate 12 --signature 1,0 -o %t.metal
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: void main_body(thread float4& colour, thread uint& gl_SampleMaskIn, thread uint& gl_SampleMask)
// CHECK: gl_SampleMask = 3;

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(gl_SampleMaskIn[0] & 1);
    gl_SampleMask[0] = 3;
}
