#version 450
// RUN: polyshade blend %s --blend 0=one,one-minus-src-alpha --logic-op 1=xor --attachment-format 1=R8_UINT --dry-run --json
// CHECK: "operation": "add"
// CHECK: "logic_operation": null
// CHECK: "format_class": "uint"
// CHECK: "logic_operation": "xor"

layout(location = 0) out vec4 colour;
layout(location = 1) out uint number;

void main() {
    colour = vec4(0.5);
    number = 7u;
}
