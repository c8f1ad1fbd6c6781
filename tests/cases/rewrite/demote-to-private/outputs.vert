// The id and the name stay with the private variable, and the decorations go to the new one.
// RUN: rewrite demote-to-private epilogue v w
// CHECK: OpEntryPoint Vertex %main "main" %v_interface %w_interface
// CHECK: OpDecorate %w_interface Centroid
// CHECK: %v = OpVariable %_ptr_Private_v2float Private
// CHECK: %w = OpVariable %_ptr_Private_float Private
#version 450
layout(location = 1, component = 1) flat out vec2 v;
layout(location = 2) noperspective centroid out float w;
void main() { v.x = 1.0; if (v.x > 0.5) return; v = vec2(w); w = 2.0; }
