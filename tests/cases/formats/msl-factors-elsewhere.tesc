#version 450
// The buffers of a kernel that are none of the shader's go where the user wants them.
// RUN: polyshade convert %s -o %t.metal --msl-domain triangles --msl-buffer factors=0
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: device MTLTriangleTessellationFactorsHalf* spvTessLevel [[buffer(0)]], device main0_in* spvIn [[buffer(22)]])

layout(vertices = 3) out;

void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter[0] = 1.0;
}
