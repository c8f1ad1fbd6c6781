#version 450
// RUN: polyshade blend %s --target 1=multiply --alpha-to-coverage 4 --multisampled -o %t.spv
// EXIT: 3
// CHECK: leave alphaToCoverageEnable on

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
