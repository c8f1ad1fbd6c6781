#version 450
// Neither the command nor the shader says what to capture.
// RUN: polyshade capture %s -o %t.spv
// EXIT: 2
// CHECK: the entry point has no Xfb execution mode
// CHECK: name the varyings to capture

layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
