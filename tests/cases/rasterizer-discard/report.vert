#version 450
// RUN: polyshade rasterizer-discard %s --when specialization=7 --json -o %t.discard.spv
// CHECK: "lowering": "rasterizer_discard"
// CHECK: "meaning": "not 0: nothing is rasterized"
// CHECK: "first_id": 7
void main() {
    gl_Position = vec4(0.0);
}
