#version 450
// Clip first, cull behind it; the capabilities go, and so does the block that declares the arrays.
// RUN: polyshade clip %s --to registers --location 5 -o %t.spv
// CHECK-NOT: OpCapability ClipDistance
// CHECK-NOT: BuiltIn ClipDistance
// CHECK: OpDecorate %polyshade_distances_0 Location 5
// CHECK-NOT: BuiltIn CullDistance

out float gl_ClipDistance[2];
out float gl_CullDistance[1];

void main() {
    gl_ClipDistance[0] = 1.0;
    gl_ClipDistance[1] = 2.0;
    gl_CullDistance[0] = 3.0;
    gl_Position = vec4(0.0);
}
