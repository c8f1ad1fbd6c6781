#version 450
// RUN: polyshade capture %s --varyings v --path compute --dry-run
// CHECK: draw_index      number of the draw in a multi-draw
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) flat out int v;

void main() {
    v = gl_DrawIDARB;
}
