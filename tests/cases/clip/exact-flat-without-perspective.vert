#version 450
// RUN: polyshade clip --exact --location 4 --geometry %t.geom.spv --flat 1 --no-perspective 1 %s -o %t.spv
// EXIT: 2
// CHECK: location 1 is in --flat and in --no-perspective
layout(location = 0) in vec4 a;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_Position = a; gl_ClipDistance[0] = a.x; }
