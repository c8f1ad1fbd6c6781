#version 450
// A built-in of a block goes though the shader reads it.
// RUN: polyshade position-only %s --keep position -o %t.spv
// CHECK: BuiltIn Position
// CHECK-NOT: BuiltIn PointSize
// CHECK: Private

layout(location = 0) in vec4 place;

void main() {
    gl_PointSize = place.x * 2.0;
    gl_Position = place * gl_PointSize;
}
