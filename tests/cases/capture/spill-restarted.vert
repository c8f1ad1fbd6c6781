#version 450
// Spilled outputs are drawn without indices, and so without restarts.
// RUN: polyshade capture %s --varyings v --spill-outputs --indexed --restart -o %t.spv
// EXIT: 2
// CHECK: cannot spill outputs: they are read by draws without indices, which cannot restart primitives
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
