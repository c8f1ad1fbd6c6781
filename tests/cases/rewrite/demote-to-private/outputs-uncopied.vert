// RUN: rewrite demote-to-private uncopied *
// CHECK: %w_interface = OpVariable
// CHECK-NOT: _interface
// CHECK: OpReturn
#version 450
layout(location = 1, component = 1) flat out vec2 v;
layout(location = 2) noperspective centroid out float w;
void main() { v.x = 1.0; if (v.x > 0.5) return; v = vec2(w); w = 2.0; }
