// RUN: rewrite output-point-size
// CHECK: BuiltIn PointSize
#version 450
void main() {}
