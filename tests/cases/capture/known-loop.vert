#version 450
// A loop is closed by the last of its slots. No variant is drawn as it is.
// RUN: polyshade capture %s --varyings v_colour --topologies line-loop --limit-in-vertices --one-instance -o %t.spv
// CHECK: OpName %of_line_loop
// CHECK-NOT: OpSwitch

layout(location = 0) in vec4 position;
layout(location = 0) out vec3 v_colour;

void main() {
    v_colour = position.xyz * 2.0;
    gl_Position = position;
}
