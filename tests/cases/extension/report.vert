#version 450
// The report has the same shape for both paths.
// RUN: polyshade capture %s --path extension --varyings v_list[1] --json -o %t.capture.spv
// CHECK: "VK_EXT_transform_feedback"
// CHECK: "transformFeedback"
// CHECK: "stride": 16
// CHECK: "locations": [
layout(location = 0) out vec4 v_list[2];

void main() {
    v_list[0] = v_list[1] = vec4(1.0);
    gl_Position = vec4(0.0);
}
