#version 450
// The fixed function fetches attributes where the extension captures.
// RUN: polyshade capture %s --varyings v --path extension --pull -o %t.spv
// EXIT: 2
// CHECK: --pull has no meaning with --path extension
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 v;

void main() {
    v = a;
    gl_Position = vec4(a, 0.0, 1.0);
}
