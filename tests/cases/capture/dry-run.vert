#version 450
// A dry run says what would be done, and writes no module.
// RUN: polyshade capture %s --varyings v_colour,gl_SkipComponents2,gl_NextBuffer,gl_Position --dry-run
// CHECK: transform_feedback of main (vertex)
// CHECK: buffer 0: 24 bytes a vertex
// CHECK: 0 v_colour (4 components)
// CHECK: buffer 1: 16 bytes a vertex
// CHECK: set 3 binding 0: storage buffer, feedback buffer 0
// CHECK: set 3 binding 2: storage buffer, host parameters
// CHECK: counter_1
// CHECK: vertexPipelineStoresAndAtomics
// CHECK: maxPerStageDescriptorStorageBuffers of at least 4

layout(set = 0, binding = 0) buffer Own { float scale; };
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = vec4(scale);
    gl_Position = vec4(0.0);
}
