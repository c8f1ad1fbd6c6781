#version 450
// An option that nothing reads was meant for the other path.
// RUN: polyshade capture %s --path extension --varyings gl_Position --set 2 -o %t.spv
// EXIT: 2
// CHECK: --set has no meaning with --path extension
void main() {
    gl_Position = vec4(0.0);
}
