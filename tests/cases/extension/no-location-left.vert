#version 450
// A copy needs a location, and the device has so many.
// RUN: polyshade capture %s --path extension --varyings v_list[0],gl_SkipComponents1,v_list[2] --max-output-components 16 -o %t.spv
// EXIT: 3
// CHECK: 2 outputs must be copied, but too few locations below 4 are free
layout(location = 0) out vec4 v_list[3];

void main() {
    v_list[0] = v_list[1] = v_list[2] = vec4(1.0);
    gl_Position = vec4(0.0);
}
