#version 450
// RUN: polyshade clip --enable 1 --location 4 %s -o %t.spv
// EXIT: 2
// CHECK: --location has no meaning without --to registers or --exact
layout(location = 0) in vec4 a;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_Position = a; gl_ClipDistance[0] = a.x; }
