#version 450
// RUN: polyshade blend %s --target 0=multiply,HSL_HUE_KHR --select uniform=3:8 --dry-run
// CHECK: location 0: multiply, hsl-hue
// CHECK: set 3 binding 0: input attachment, destination of location 0, input attachment 0
// CHECK: set 3 binding 8: uniform buffer, host parameters
// CHECK: fill in at uniform=3:8
// CHECK: equation_0
// CHECK: barrier between draws

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
