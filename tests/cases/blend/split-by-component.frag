#version 450
// One colour in two outputs is gathered, blended and scattered again.
// RUN: polyshade blend %s --equations multiply -o %t.spv
// CHECK: OpCompositeConstruct %v4float
// CHECK: OpImageRead
// CHECK: OpStore %rg_interface
// CHECK: OpStore %b_interface

layout(location = 0) out vec2 rg;
layout(location = 0, component = 2) out float b;

void main() {
    rg = vec2(0.5);
    b = 0.25;
}
