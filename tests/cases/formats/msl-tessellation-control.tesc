#version 450
// A kernel, each of whose threads makes a vertex of a patch.
// RUN: polyshade convert %s -o %t.metal --msl-domain triangles
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: kernel void main0(uint3 gl_GlobalInvocationID [[thread_position_in_grid]], device main0_out* spvOut [[buffer(28)
// CHECK: threadgroup_barrier(
// CHECK: edgeTessellationFactor[2] = half(3.0);
// CHECK-NOT: edgeTessellationFactor[3]

layout(vertices = 3) out;

void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    barrier();
    gl_TessLevelOuter[0] = gl_out[1].gl_Position.x;
    gl_TessLevelOuter[2] = 3.0;
    gl_TessLevelOuter[3] = 4.0;
}
