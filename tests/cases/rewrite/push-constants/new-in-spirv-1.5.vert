// RUN: rewrite push-constants 16 host first second
// Version: 1.5
// CHECK: OpEntryPoint Vertex %main "main" %_ %host
// CHECK: 0 Offset 16
// CHECK: 1 Offset 20
// CHECK: %host = OpVariable %_ptr_PushConstant__struct_20 PushConstant
#version 450
void main() { gl_Position = vec4(1.0); }
