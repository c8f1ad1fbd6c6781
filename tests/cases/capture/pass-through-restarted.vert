#version 450
// What is passed through is drawn without indices, and so without restarts.
// RUN: polyshade capture %s --varyings v --pass-through --indexed --restart -o %t.spv
// EXIT: 2
// CHECK: outputs are passed through by draws without indices, which restart no primitives
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
