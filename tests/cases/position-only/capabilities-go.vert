#version 450
// Capabilities and extensions that only the other outputs needed go.
// RUN: polyshade position-only %s -o %t.spv
// CHECK-NOT: OpCapability Float64
// CHECK-NOT: OpCapability DrawParameters
// CHECK-NOT: SPV_KHR_shader_draw_parameters
// CHECK: OpCapability ClipDistance
// CHECK-NOT: OpCapability Float64
// CHECK-NOT: OpCapability DrawParameters
// CHECK-NOT: SPV_KHR_shader_draw_parameters
// CHECK: OpMemoryModel

#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) in vec4 a_place;
layout(location = 0) flat out dvec4 v_exact;
layout(location = 2) out float v_draw;
void main() {
    gl_Position = a_place;
    gl_ClipDistance[0] = a_place.x;
    v_exact = dvec4(a_place) * 1.5LF;
    v_draw = float(gl_DrawIDARB);
}
