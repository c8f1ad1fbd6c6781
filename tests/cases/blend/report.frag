#version 450
// RUN: polyshade blend %s --equations multiply --dry-run --json
// CHECK: "lowering": "advanced_blend"
// CHECK: "descriptors"
// CHECK: "kind": "input_attachment"
// CHECK: "targets"
// CHECK: "blend_op": 1000148012
// CHECK: "word": 13

layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(0.5);
}
