#version 450
// RUN: polyshade clip-space %s --flip-y maybe -o %t.spv
// EXIT: 2
// CHECK: on, off, or the source of a host parameter: storage=SET:BINDING
void main() {
    gl_Position = vec4(0.0);
}
