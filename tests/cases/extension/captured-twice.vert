#version 450
// OpenGL and Vulkan refuse an output that is named twice.
// RUN: polyshade capture %s --path extension --varyings v_colour,v_colour -o %t.spv
// EXIT: 2
// CHECK: `v_colour` is captured twice
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
