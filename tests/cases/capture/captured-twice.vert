#version 450
// OpenGL has no two captures of one component.
// RUN: polyshade capture %s --varyings v_colour,v_colour -o %t.spv
// EXIT: 2
// CHECK: `v_colour` is captured twice

layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
