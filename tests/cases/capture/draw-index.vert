#version 450
// The draws of a multi-draw are drawn one by one: each has its number from the host, also where it is rasterized.
// RUN: polyshade capture %s --varyings v --topologies point-list --one-instance --limit-in-vertices -o %t.capture.spv --variant both=%t.spv
// CHECK-NOT: OpCapability DrawParameters
// CHECK: %gl_DrawIDARB = OpVariable %_ptr_Private_int Private
// CHECK: OpStore %gl_DrawIDARB
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) flat out int v;

void main() {
    v = gl_DrawIDARB;
    gl_Position = vec4(v);
    gl_PointSize = 1;
}
