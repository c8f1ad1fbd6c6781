#version 450
// RUN: polyshade blend %s --target 1=multiply --dry-run
// CHECK: alpha to coverage and alpha to one stay as they are

layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;

void main() {
    first = vec4(0.5);
    second = vec4(0.25);
}
