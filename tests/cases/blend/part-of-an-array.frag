#version 450
// Of an array of colours one is blended; the other is copied. The index may be a variable.
// RUN: polyshade blend %s --target 1=difference -o %t.spv
// CHECK-NOT: %polyshade_destination_0
// CHECK: OpDecorate %polyshade_destination_1 InputAttachmentIndex 1
// CHECK: OpAccessChain %_ptr_Output_v4float %colours_interface %uint_0
// CHECK: OpStore
// CHECK: OpAccessChain %_ptr_Output_v4float %colours_interface %uint_1
// CHECK: OpStore

layout(location = 0) out vec4 colours[2];

void main() {
    colours[0] = vec4(0.25);
    colours[1] = vec4(0.5);
    colours[int(gl_FragCoord.x) & 1] *= 0.5;
}
