#version 450
// The fixed function would fetch what is at the position of the index.
// RUN: polyshade capture %s --varyings v --indexed -o %t.spv
// EXIT: 3
// CHECK: cannot capture draws with indices: the shader must fetch its vertex attribute
layout(location = 0) in vec4 a_position;
layout(location = 0) out vec4 v;

void main() {
    v = a_position;
}
