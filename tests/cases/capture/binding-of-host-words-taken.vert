#version 450
// Feedback buffers and host parameters have bindings of their own.
// RUN: polyshade capture %s --varyings gl_Position,gl_NextBuffer,gl_PointSize --set 3 --binding 0 --params storage=3:1 -o %t.spv
// EXIT: 2
// CHECK: binding 1 of set 3 would hold the host parameters and feedback buffer 1

void main() {
    gl_Position = vec4(1.0);
    gl_PointSize = 1.0;
}
