#version 450
// Buffers that are found by their addresses have no binding that could be asked for.
// RUN: polyshade capture %s --varyings gl_Position --set 1 --params address:push-constant=0 -o %t.spv
// EXIT: 2
// CHECK: feedback buffers that are accessed by address cannot have a binding

void main() {
    gl_Position = vec4(1.0);
}
