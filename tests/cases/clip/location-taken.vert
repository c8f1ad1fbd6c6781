#version 450
// RUN: polyshade clip %s --to registers --location 5 -o %t.spv
// EXIT: 2
// CHECK: location 5 of the outputs is taken or reserved

out float gl_ClipDistance[2];
layout(location = 4) out mat2 taken;
void main() { taken = mat2(1.0); gl_ClipDistance[0] = gl_ClipDistance[1] = 1.0; }
