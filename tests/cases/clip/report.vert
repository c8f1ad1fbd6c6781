#version 450
// RUN: polyshade clip %s --outputs clip=1.xy --dry-run --json
// CHECK: "shaderClipDistance"
// CHECK: "maxClipDistances"
// CHECK: "clip": 2
// CHECK: "clip=1.x"
// CHECK: "version": 4

layout(location = 1) out vec4 a;
void main() { a = vec4(1.0); }
