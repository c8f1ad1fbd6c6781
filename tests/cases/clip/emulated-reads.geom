#version 450
// A stage that reads distances reads ordinary values too.
// RUN: polyshade clip %s --emulate 4 --signature 2,1 -o %t.spv
// CHECK-NOT: OpCapability ClipDistance
// CHECK: OpDecorate %polyshade_distances_0 Location 4
// CHECK-NOT: BuiltIn ClipDistance
// CHECK: OpVariable %_ptr_Input__arr_v3float_uint_3 Input

layout(triangles) in;
layout(points, max_vertices = 1) out;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };

void main() {
    gl_Position = gl_in[0].gl_Position;
    gl_ClipDistance[0] = gl_in[1].gl_ClipDistance[1];
    EmitVertex();
}
