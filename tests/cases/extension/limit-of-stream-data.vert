#version 450
// What is captured of a vertex into all buffers of a stream is limited too: gaps count, but for those at the end.
// RUN: polyshade capture %s --path extension --varyings v_list,gl_NextBuffer,gl_SkipComponents1,v_colour,gl_SkipComponents1 --limits-of vulkan -o %t.spv
// EXIT: 3
// CHECK: the capture needs maxTransformFeedbackStreamDataSize to be at least 516, but it is 512
layout(location = 0) out vec4 v_list[31];
layout(location = 31) out vec4 v_colour;

void main() {
    for (int i = 0; i < 31; ++i)
        v_list[i] = vec4(i);
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
