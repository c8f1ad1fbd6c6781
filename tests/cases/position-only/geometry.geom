#version 450
// The last stage is reduced, whichever it is; primitives are emitted as before.
// RUN: polyshade position-only %s -o %t.spv
// CHECK: OpEntryPoint Geometry
// CHECK-NOT: v_colour
// CHECK: OpEmitVertex
// CHECK: OpEndPrimitive

layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 colour[];
layout(location = 0) out vec4 v_colour;

void main() {
    for (int i = 0; i < 3; ++i) {
        v_colour = colour[i] * 2.0;
        gl_Position = gl_in[i].gl_Position;
        EmitVertex();
    }
    EndPrimitive();
}
