// Each link makes copies of its own, and within one link there is one base.
// RUN: rewrite link diamond left right and link diamond left right
#version 450
layout(location = 0) in float x;
layout(location = 0) out float v;
void main() { v = sin(x) * 2.0; }
