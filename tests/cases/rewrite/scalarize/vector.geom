// Loads go to the places of the scalars, and what goes nowhere is zero.
// RUN: rewrite scalarize from to per-vertex 1 - 0
// CHECK: OpAccessChain %_ptr_Input_float %to
// CHECK: OpSelect
// CHECK: OpSelect
// CHECK-NOT: OpSelect
#version 450
layout(points) in;
layout(points, max_vertices = 1) out;
layout(location = 1) in vec3 from[];
layout(location = 4) in float to[][2];
void main() {
    vec3 whole = from[0];
    gl_Position = vec4(whole, from[0][gl_PrimitiveIDIn]);
    EmitVertex();
}
