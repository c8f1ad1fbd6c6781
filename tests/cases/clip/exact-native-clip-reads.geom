#version 450
// Clip distances that the device has stay what cuts, where the stage reads cull distances that it lacks.
// RUN: polyshade clip %s --exact --native clip --location 4 -o %t.spv
// CHECK: OpCapability ClipDistance
// CHECK: OpDecorate %polyshade_distances_0 Location 4
// CHECK-NOT: BuiltIn CullDistance
// CHECK: OpVariable %_ptr_Input__arr_v2float_uint_1 Input
// CHECK: OpVariable %_ptr_Output__arr_float_uint_1 Output

layout(points) in;
layout(points, max_vertices = 1) out;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };

void main() {
    gl_Position = gl_in[0].gl_Position;
    gl_ClipDistance[0] = gl_in[0].gl_ClipDistance[0] + gl_in[0].gl_CullDistance[0];
    EmitVertex();
}
