#version 450
// Of draws of one list the host says how many corners fit, and a vertex is stored where it stands.
// RUN: polyshade capture %s --varyings v_colour,gl_Position --limit-in-vertices --one-instance --topologies triangle-list,line-list -o %t.spv
// CHECK: OpArrayLength
// CHECK-NOT: OpSwitch
// CHECK: OpULessThan

layout(location = 0) in vec4 position;
layout(location = 0) out vec3 v_colour;

void main() {
    v_colour = position.xyz * 2.0;
    gl_Position = position;
}
