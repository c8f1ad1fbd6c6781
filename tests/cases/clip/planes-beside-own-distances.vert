#version 450
// RUN: polyshade clip %s --planes 1 --planes-at uniform=2:0 -o %t.spv
// EXIT: 3
// CHECK: the shader already writes clip distances

out float gl_ClipDistance[1];
void main() { gl_Position = vec4(0.0); gl_ClipDistance[0] = 1.0; }
