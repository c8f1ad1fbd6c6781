#version 450
// RUN: polyshade clip --enable 1 --signature 2,0 %s -o %t.spv
// EXIT: 2
// CHECK: --signature has no meaning without --emulate, --exact with --location, or --to registers, combined or separate
layout(location = 0) in vec4 a;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_Position = a; gl_ClipDistance[0] = a.x; }
