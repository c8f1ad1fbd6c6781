#version 450
// RUN: polyshade clip-space %s --rotate 90 --dry-run
// CHECK: rotate viewport and scissor, too
// CHECK-NOT: frontFace

void main() {
    gl_Position = vec4(0.5);
}
