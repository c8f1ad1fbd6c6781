#version 450
// Every emit has its copy before it, in whatever function it stands.
// RUN: polyshade capture %s --path extension --varyings g_list[1] -o %t.spv
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmitVertex
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmitVertex
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) out vec2 g_list[2];

void corner(int i) {
    g_list[0] = g_list[1] = vec2(i);
    gl_Position = gl_in[i].gl_Position;
    EmitVertex();
}

void main() {
    for (int i = 0; i < 3; ++i)
        corner(i);
    EndPrimitive();
    gl_Position = vec4(0.0);
    EmitVertex();
}
