#version 450
// What the host binds and fills in, and the locations that nothing feeds.
// RUN: polyshade vertex-pulling %s --attribute 0=3:0:r32g32b32a32_sfloat --buffer 3=word:instance/4 --base-instance --dry-run
// CHECK: locations without an attribute, which read (0, 0, 0, 1): 1
// CHECK: set 3 binding 0: storage buffer, vertex buffer 3
// CHECK: set 3 binding 1: storage buffer, host parameters
// CHECK: 0 vertex_offset_3
// CHECK: 1 vertex_size_3
// CHECK: 2 vertex_stride_3
// CHECK: shaderDrawParameters
layout(location = 0) in vec4 a_position;
layout(location = 1) in vec4 a_colour;
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = a_colour;
    gl_Position = a_position;
}
