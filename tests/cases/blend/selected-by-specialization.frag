#version 450
// RUN: polyshade blend %s --equations khr --select specialization=4 -o %t.spv
// CHECK: OpDecorate %equation_0 SpecId 4
// CHECK: OpDecorate %equation_1 SpecId 5
// CHECK: OpSwitch

layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;

void main() {
    first = vec4(0.25);
    second = vec4(0.75);
}
