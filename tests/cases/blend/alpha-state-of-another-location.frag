#version 450
// RUN: polyshade blend %s --target 1=multiply --multisampled --dry-run
// CHECK: alpha to coverage and alpha to one stay as they are
// CHECK: gl_FragCoord is that of the sample

layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;

void main() {
    first = vec4(0.5);
    second = vec4(0.25);
}
