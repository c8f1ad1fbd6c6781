#version 450
// The interface is listed with locations, and what can be captured with its components.
// RUN: polyshade info %s
// CHECK: main (vertex)
// CHECK: output uint v_id location 2
// CHECK: output mat3x3 v_frame location 3
// CHECK: output gl_PerVertex Position
// CHECK: capturable: v_id (1 component)
// CHECK: capturable: v_frame (9 components)
// CHECK: capturable: gl_Position (4 components)
// CHECK: original position only complement
// CHECK: output, bytes a vertex
// CHECK-NOT: v_unused

layout(location = 2) flat out uint v_id;
layout(location = 3) out mat3 v_frame;

void main() {
    v_id = uint(gl_VertexIndex);
    v_frame = mat3(1.0);
    gl_Position = vec4(0.0);
}
