// The one that is there is used with its type.
// RUN: rewrite inputs uint vertex-index instance-index
// CHECK: BuiltIn VertexIndex
// CHECK: BuiltIn InstanceIndex
// CHECK: OpLoad %int %gl_VertexIndex
// CHECK: OpLoad %uint
#version 450
void main() { gl_Position = vec4(gl_VertexIndex); }
