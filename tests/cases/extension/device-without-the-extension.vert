#version 450
// A device without the extension takes the other path.
// RUN: polyshade capture %s --path extension --varyings v_colour --limits-of vulkan-mobile -o %t.spv
// EXIT: 3
// CHECK: the device `vulkan-mobile` has no VK_EXT_transform_feedback
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
