#version 450
// RUN: polyshade clip-space %s --flip-y on --dry-run
// CHECK: invert frontFace; gl_FragCoord, gl_PointCoord

void main() {
    gl_Position = vec4(0.5);
}
