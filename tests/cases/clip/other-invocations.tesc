#version 450
// What other invocations read is read from the built-in array; chosen components are chosen among all.
// RUN: polyshade clip %s --outputs clip=1 --inputs clip=1 -o %t.spv
// CHECK: OpControlBarrier
// CHECK: OpSelect %float

layout(vertices = 3) out;
layout(location = 1) in vec4 from[];
layout(location = 1) out vec4 to[];

void main() {
    to[gl_InvocationID] = from[gl_InvocationID];
    barrier();
    gl_TessLevelOuter[0] = to[2][gl_InvocationID];
}
