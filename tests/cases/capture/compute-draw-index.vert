#version 450
// RUN: polyshade capture %s --varyings v --path compute -o %t.spv
// EXIT: 3
// CHECK: the number of the draw in a compute stage, which is told of draws with indices
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) flat out int v;

void main() {
    v = gl_DrawIDARB;
}
