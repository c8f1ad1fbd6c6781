#version 450
// A device that runs the shader has the locations that it uses, however few are guaranteed.
// RUN: polyshade capture %s --path extension --varyings v_last[1] -o %t.spv
// CHECK: OpDecorate %polyshade_captured_0_0 Location 17
layout(location = 0) out vec4 v_first[17];
layout(location = 18) out vec4 v_last[2];

void main() {
    for (int i = 0; i < 17; ++i) v_first[i] = vec4(i);
    v_last[0] = v_last[1] = vec4(1.0);
    gl_Position = vec4(0.0);
}
