#version 450
// Whole outputs are decorated, built-ins and members of blocks where they are declared; nothing else changes.
// RUN: polyshade capture %s --path extension --varyings Block.weight,v_colour,gl_SkipComponents2,gl_NextBuffer,gl_Position -o %t.spv
// CHECK: OpCapability TransformFeedback
// CHECK: OpExecutionMode %main Xfb
// CHECK-NOT: OpFunctionCall
layout(location = 0) out vec4 v_colour;
layout(location = 1) out Block { vec2 unused; float weight; } block;

void main() {
    v_colour = vec4(1.0);
    block.unused = vec2(1.0);
    block.weight = 2.0;
    gl_Position = vec4(0.0);
}
