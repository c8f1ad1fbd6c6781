// An integer that a fragment shader gets is flat.
// RUN: rewrite inputs int sample-id
// CHECK: Flat
#version 450
layout(location = 0) out vec4 v;
void main() { v = vec4(gl_FragCoord.x); }
