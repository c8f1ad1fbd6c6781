#version 450
// RUN: polyshade capture %s --varyings v --variant reload-outputs=%t.spv -o %t.capture.spv
// EXIT: 2
// CHECK: cannot spill outputs: the options do not request it
// CHECK: --spill-outputs
layout(location = 0) flat out int v;

void main() {
    v = gl_VertexIndex;
    gl_Position = vec4(v);
}
