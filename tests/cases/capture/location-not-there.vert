#version 450
// A location that no output has is named, with those there are.
// RUN: polyshade capture %s --varyings location=1-4 -o %t.spv
// EXIT: 1
// CHECK: there is no output at location=1-4
// CHECK: outputs begin at locations: 0, 5

layout(location = 0) out vec4 v_colour;
layout(location = 5) out float v_depth;

void main() {
    v_colour = vec4(1.0);
    v_depth = 1.0;
    gl_Position = vec4(0.0);
}
