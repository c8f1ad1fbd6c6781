#version 450
// An element, a member of a structure and an output that is taken apart are copied, joined where they touch.
// RUN: polyshade capture %s --path extension --varyings v_list[2],v_pair.b,gl_SkipComponents1,location=7.z -o %t.spv
// CHECK: OpDecorate %polyshade_captured_0_0 Location 6
// CHECK: OpDecorate %polyshade_captured_0_4 Location 8
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpStore %polyshade_captured_0_0
// CHECK-NOT: %polyshade_captured_0_2
layout(location = 0) out vec2 v_list[3];
layout(location = 3) out struct { vec4 a; float b; float c; } v_pair;
layout(location = 7) out vec3 v_vector;

void main() {
    v_list[0] = v_list[1] = v_list[2] = vec2(1.0);
    v_pair.a = vec4(1.0);
    v_pair.b = v_pair.c = 2.0;
    v_vector = vec3(3.0);
    gl_Position = vec4(0.0);
}
