#version 450
// Words behind the shader's own push constants select: one indexed branch, and words that are no declared equation's
// pass the source through.
// RUN: polyshade blend %s --equations multiply,hsl-hue --select push-constant=16 -o %t.spv
// CHECK: OpMemberDecorate %Push 1 Offset 16
// CHECK: OpSwitch
// CHECK: OpUnreachable

layout(push_constant) uniform Push { vec4 tint; };
layout(location = 0) out vec4 colour;

void main() {
    colour = tint;
}
