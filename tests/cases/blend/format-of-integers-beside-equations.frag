#version 450
// RUN: polyshade blend %s --equations multiply --attachment-format 1=R32_UINT -o %t.spv
// CHECK: OpStore %number

layout(location = 0) out vec4 first;
layout(location = 1) out uint number;

void main() {
    first = vec4(0.5);
    number = 7u;
}
