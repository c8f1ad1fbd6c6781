#version 450
// Compute stages have no attributes.
// RUN: polyshade capture %s --varyings v --path compute -o %t.spv
// EXIT: 3
// CHECK: cannot capture in a compute stage: the shader must fetch its vertex attribute
layout(location = 0) in vec4 a_position;
layout(location = 0) out vec4 v;

void main() {
    v = a_position;
}
