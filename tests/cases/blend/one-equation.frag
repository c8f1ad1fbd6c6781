#version 450
// One equation is straight-line code behind every exit: no branch, and no other equation.
// RUN: polyshade blend %s --equations colordodge -o %t.spv
// CHECK: OpEntryPoint Fragment %main "main"
// CHECK-NOT: blend_screen
// CHECK: OpDecorate %polyshade_destination_0 DescriptorSet 3
// CHECK: OpDecorate %polyshade_destination_0 InputAttachmentIndex 0
// CHECK-NOT: OpSwitch
// CHECK: %main = OpFunction
// CHECK-NOT: OpBranch
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpImageRead
// CHECK: OpFunctionCall %v4float %polyshade_blend_target
// CHECK: OpStore %colour_interface

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
    if (gl_FragCoord.x < 8.0)
        return;
    colour.r = 1.0;
}
