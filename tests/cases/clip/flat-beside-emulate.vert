#version 450
// RUN: polyshade clip --emulate 4 --flat 1 %s -o %t.spv
// EXIT: 2
// CHECK: cannot be used with
layout(location = 0) in vec4 a;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_Position = a; gl_ClipDistance[0] = a.x; }
