#version 450
// Formats of all attachments may be said: an output of integers stays as it is.
// RUN: polyshade blend %s --blend one,one --attachment-format 1=R16G16B16A16_SFLOAT --attachment-format 2=R32_UINT --dry-run --json
// CHECK: "format_class": "unorm"
// CHECK: "location": 0
// CHECK: "format_class": "float"
// CHECK: "location": 1
// CHECK-NOT: "location": 2

layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
layout(location = 2) out uint number;

void main() {
    first = vec4(0.5);
    second = vec4(2.0);
    number = 7u;
}
