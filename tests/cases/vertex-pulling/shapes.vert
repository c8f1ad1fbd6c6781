#version 450
// Matrices and arrays take a location for each column and element, and two inputs share one by their components.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r32g32_sfloat,1=0:8:r32g32_sfloat,2=0:16:r32g32_sfloat,3=0:24:r32g32_sfloat,4=0:32:r16g16b16a16_sint --buffer 0=40 -o %t.spv
// CHECK: OpAccessChain %_ptr_Private_v2float %a_matrices %uint_1 %uint_1
layout(location = 0) in mat2 a_matrices[2];
layout(location = 4) in int a_first;
layout(location = 4, component = 2) in ivec2 a_rest;

void main() {
    gl_Position = vec4(a_matrices[0] * vec2(a_first), a_matrices[1] * vec2(a_rest));
}
