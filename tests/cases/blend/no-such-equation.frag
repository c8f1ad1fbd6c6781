#version 450
// RUN: polyshade blend %s --equations multiply,divide -o %t.spv
// EXIT: 2
// CHECK: unknown blend equation `divide`

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
