#version 450
// A compute stage reads the vertex buffers, and no device says to it which instance is the first.
// RUN: polyshade capture %s --varyings v --path compute --pull --attribute 0=0:0:r32g32_sfloat --buffer 0=8:instance/2 --base-instance -o %t.metal --report %t.json
// CHECK: "vertex_offset_0"
// CHECK: "instance_count"
// CHECK: "descriptors"
// CHECK: "vertex_buffer": 0
// CHECK-NOT: "stage": "vertex"
// CHECK: "features": []
// CHECK: "pulled"
// CHECK: "stored"
layout(location = 0) in vec2 a;
layout(location = 0) out vec2 v;

void main() {
    v = a;
    gl_Position = vec4(a, 0.0, 1.0);
}
