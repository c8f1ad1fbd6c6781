#version 450
// A compute stage has no attributes: it fetches them, and so does the variant that is drawn.
// RUN: polyshade capture %s --varyings v --path compute --topologies point-list --one-instance --limit-in-vertices --pull --attribute 0=0:0:r32g32_sfloat --buffer 0=8 -o %t.spv --variant raster-only=%t.raster.spv
// CHECK: OpEntryPoint GLCompute
// CHECK: OpDecorate %polyshade_vertex_buffer_0 NonWritable
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 v;

void main() {
    v = a;
    gl_Position = vec4(a, 0.0, 1.0);
}
