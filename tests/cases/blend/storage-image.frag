#version 450
// No driver of the tests has interlock: the validator and this text say that it is right. The output goes.
// RUN: polyshade blend %s --equations screen --destination storage-image --set 1 -o %t.spv
// CHECK: OpCapability FragmentShaderPixelInterlockEXT
// CHECK: OpExecutionMode %main PixelInterlockOrderedEXT
// CHECK: OpDecorate %polyshade_destination_0 Coherent
// CHECK-NOT: OpVariable %_ptr_Output_v4float Output
// CHECK: OpBeginInvocationInterlockEXT
// CHECK: OpImageRead
// CHECK: OpImageWrite
// CHECK: OpEndInvocationInterlockEXT

layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
