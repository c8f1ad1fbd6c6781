#version 450
// RUN: polyshade clip %s --outputs clip=1.xy --dry-run --json
// CHECK: "clip": 2
// CHECK: "clip=1.x"
// CHECK: "shaderClipDistance"
// CHECK: "maxClipDistances"
// CHECK: "version": 1

layout(location = 1) out vec4 a;
void main() { a = vec4(1.0); }
