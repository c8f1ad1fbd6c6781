// The body runs behind all copies.
// RUN: rewrite demote-to-private prologue gl_in block
// CHECK: %main = OpFunction
// CHECK: OpLoad
// CHECK: OpStore
// CHECK: OpFunctionCall %void %main_body
// CHECK: OpReturn
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in Block { flat int i; vec4 c; } block[];
void main() {
    for (int i = 0; i < 3; ++i) {
        gl_Position = gl_in[i].gl_Position + block[i].c * block[i].i;
        EmitVertex();
    }
}
