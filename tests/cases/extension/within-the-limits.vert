#version 450
// What a device offers is taken to the last byte: 496 bytes in one buffer, 16 in another.
// RUN: polyshade capture %s --path extension --varyings v_list,gl_NextBuffer,v_colour,gl_SkipComponents4 --limits-of vulkan --json -o %t.capture.spv
// CHECK: "maxTransformFeedbackBufferDataSize": 496
// CHECK: "maxTransformFeedbackBufferDataStride": 496
// CHECK: "maxTransformFeedbackBuffers": 2
// CHECK: "maxTransformFeedbackStreamDataSize": 512
layout(location = 0) out vec4 v_list[31];
layout(location = 31) out vec4 v_colour;

void main() {
    for (int i = 0; i < 31; ++i)
        v_list[i] = vec4(i);
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
