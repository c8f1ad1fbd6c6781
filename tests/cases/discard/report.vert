#version 450
// RUN: polyshade discard %s --spec-id 7 --json -o %t.discard.spv
// CHECK: "meaning": "1 where nothing is rasterized"
// CHECK: "id": 7
// CHECK: "lowering": "rasterizer_discard"
void main() {
    gl_Position = vec4(0.0);
}
