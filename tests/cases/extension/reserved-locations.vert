#version 450
// Locations that are reserved stay free.
// RUN: polyshade capture %s --path extension --varyings v_list[0] --reserve-location 0,2 -o %t.spv
// CHECK: OpDecorate %polyshade_captured_0_0 Location 5
layout(location = 3) out vec4 v_list[2];
layout(location = 1) out vec4 v_other;

void main() {
    v_list[0] = v_list[1] = v_other = vec4(1.0);
    gl_Position = vec4(0.0);
}
