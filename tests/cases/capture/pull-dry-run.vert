#version 450
// One report has the words and bindings of both steps, of a compute stage and of the stage that is drawn.
// RUN: polyshade capture %s --varyings v --path compute --pull --attribute 0=0:0:r32g32_sfloat --buffer 0=8:instance/2 --base-instance --dry-run
// CHECK: recipe of main (vertex)
// CHECK: buffer 0: 8 bytes a vertex
// CHECK: locations without an attribute, which read (0, 0, 0, 1): 1
// CHECK: set 3 binding 0: storage buffer, vertex buffer 0
// CHECK: set 2 binding 0: storage buffer, feedback buffer 0
// CHECK: set 2 binding 1: storage buffer, host parameters
// CHECK-NOT: storage buffer
// CHECK: fill in at storage=3:1
// CHECK: vertex_offset_0
// CHECK: fill in at storage=2:1
// CHECK: instance_count
// CHECK: a dispatch over the vertices of all instances, in rows
// CHECK: shaderDrawParameters
layout(location = 0) in vec2 a;
layout(location = 1) in float b;
layout(location = 0) out vec2 v;

void main() {
    v = a * b;
    gl_Position = vec4(a, 0.0, 1.0);
}
