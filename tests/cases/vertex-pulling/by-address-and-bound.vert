#version 450
// What is found by addresses has no binding.
// RUN: polyshade vertex-pulling %s --attribute 0=0:0:r32_sfloat --buffer 0=4 --params address:push-constant=0 --set 1 -o %t.spv
// EXIT: 2
// CHECK: vertex buffers that are accessed by address cannot have a binding
layout(location = 0) in vec4 a_position;

void main() {
    gl_Position = a_position;
}
