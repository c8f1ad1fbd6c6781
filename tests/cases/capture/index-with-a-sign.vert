#version 450
// Names are OpenGL's to the letter: numbers in them are digits, without zeros ahead.
// RUN: polyshade capture %s --varyings v_list[+1] -o %t.spv
// EXIT: 1
// CHECK: `v_list[+1]` is not part of an output
layout(location = 0) out vec4 v_list[2];

void main() {
    v_list[0] = v_list[1] = vec4(1.0);
    gl_Position = vec4(0.0);
}
