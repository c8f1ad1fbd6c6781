#version 450
// A built-in that is not kept leaves its block.
// RUN: polyshade position-only %s --keep position -o %t.spv
// CHECK: BuiltIn Position
// CHECK-NOT: BuiltIn PointSize
// CHECK: OpTypeStruct %v4float

layout(location = 0) in vec4 place;

void main() {
    gl_PointSize = place.x * 2.0;
    gl_Position = place;
}
