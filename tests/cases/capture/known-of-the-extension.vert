#version 450
// The extension captures whatever is drawn.
// RUN: polyshade capture %s --varyings v_colour --path extension --limit-in-vertices -o %t.spv
// EXIT: 2
// CHECK: --limit-in-vertices has no meaning with --path extension

layout(location = 0) in vec4 position;
layout(location = 0) out vec3 v_colour;

void main() {
    v_colour = position.xyz * 2.0;
    gl_Position = position;
}
