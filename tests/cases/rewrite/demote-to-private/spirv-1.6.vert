// From SPIR-V 1.4 an interface lists the private variable too.
// RUN: rewrite demote-to-private epilogue v
// Version: 1.6
// CHECK: OpEntryPoint Vertex %main "main" %v %w %v_interface
#version 450
layout(location = 1, component = 1) flat out vec2 v;
layout(location = 2) noperspective centroid out float w;
void main() { v.x = 1.0; if (v.x > 0.5) return; v = vec2(w); w = 2.0; }
