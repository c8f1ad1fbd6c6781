#version 450
// RUN: polyshade clip %s --repair size --max-clip 4 -o %t.spv
// CHECK: %_arr_float_uint_2 = OpTypeArray %float %uint_2
// CHECK: OpVariable %_ptr_Output__arr_float_uint_2 Output

out float gl_ClipDistance[8];
void main() { gl_Position = vec4(1.0); gl_ClipDistance[1] = 1.0; }
