#version 450
// Assembly has numeric ids and the header, so that it gives the same words again.
// RUN: polyshade convert %s -o %t.spvasm
// KNOWN: assembly has no unknown instructions
// CHECK: ; Version: 1.0
// CHECK: ; Generator word: 0x
// CHECK: ; Bound:
// CHECK-NOT: %main
// CHECK: %4 = OpFunction

layout(location = 0) in vec4 p;
layout(location = 0) out vec3 v;
layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;

void main() {
    v = p.xyz * 2.0;
    gl_Position = scene.view * p;
}
