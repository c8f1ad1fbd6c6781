#version 450
// Distances that the stage reads go, though it hands none on and no geometry stage is made.
// RUN: polyshade clip %s --exact --location 4 --geometry none.spv -o %t.spv
// CHECK-NOT: OpCapability ClipDistance
// CHECK: OpDecorate %polyshade_distances_0 Location 4
// CHECK-NOT: BuiltIn ClipDistance

layout(triangles) in;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; };

void main() {
    gl_Position = gl_in[0].gl_Position;
    gl_Position.x += gl_in[1].gl_ClipDistance[1];
}
