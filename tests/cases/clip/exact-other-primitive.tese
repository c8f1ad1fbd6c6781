#version 450
// RUN: polyshade clip %s --exact --location 8 --geometry %t.spv --primitive triangles -o %t.last.spv
// EXIT: 2
// CHECK: the tessellation evaluation stage emits lines, not triangles

layout(isolines) in;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_Position = vec4(0.0); gl_ClipDistance[0] = 1.0; }
