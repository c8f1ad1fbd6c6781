#version 450
// Only the stages before rasterization have something to capture.
// RUN: polyshade info %s
// CHECK: main (fragment)
// CHECK: output vec4 colour location 0
// CHECK-NOT: capturable

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(1.0);
}
