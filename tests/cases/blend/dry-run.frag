#version 450
// RUN: polyshade blend %s --target 0=multiply,HSL_HUE_KHR --select uniform --dry-run
// CHECK: location 0: multiply, hsl-hue
// CHECK: selected by words in a uniform buffer, set 3 binding 8
// CHECK: set 3 binding 0: input attachment, destination of location 0, input attachment 0
// CHECK: set 3 binding 8: uniform buffer, words that select equations
// CHECK: barrier between draws

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
