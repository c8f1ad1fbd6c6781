#version 450
// RUN: polyshade blend %s --target 0=multiply --blend 0=one,one -o %t.spv
// EXIT: 2
// CHECK: the target at location 0 is blended in two ways

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
