#version 450
// Transform feedback is for stages before the rasterizer.
// RUN: polyshade capture %s --varyings colour -o %t.spv
// EXIT: 4
// CHECK: the module has no vertex entry point; its stages: fragment

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(1.0);
}
