// RUN: rewrite demote-to-private prologue gl_in x y gl_TessCoord epilogue *
// CHECK: OpDecorate %y_interface Patch
// CHECK: %main_body = OpFunction
// CHECK-NOT: _interface
// CHECK: OpFunctionEnd
#version 450
layout(triangles) in;
layout(location = 0) in vec4 x[];
layout(location = 1) patch in vec4 y;
layout(location = 0) out vec4 v;
void main() { gl_Position = gl_in[1].gl_Position + x[2] + y; v = gl_TessCoord.xyzz; }
