#version 450
// Components are consecutive, and in their order.
// RUN: polyshade capture %s --varyings location=0.zx -o %t.spv
// EXIT: 2
// CHECK: `location=0.zx` does not name locations

layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
