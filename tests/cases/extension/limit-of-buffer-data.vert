#version 450
// Where a device is named, what goes beyond it is refused by the limit's name.
// RUN: polyshade capture %s --path extension --varyings v_list --limits-of vulkan -o %t.spv
// EXIT: 3
// CHECK: the capture needs maxTransformFeedbackBufferDataSize to be at least 528, but it is 512
layout(location = 0) out vec4 v_list[33];

void main() {
    for (int i = 0; i < 33; ++i)
        v_list[i] = vec4(i);
    gl_Position = vec4(0.0);
}
