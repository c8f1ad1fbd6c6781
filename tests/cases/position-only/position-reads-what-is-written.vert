#version 450
// The position reads what the store that goes has written.
// RUN: polyshade position-only %s --side-effects in-complement -o %t.spv
// EXIT: 3
// CHECK: reads memory that dropped code writes

layout(binding = 0) buffer Store { vec4 places[]; };

void main() {
    places[gl_VertexIndex] = vec4(1.0);
    gl_Position = places[0];
}
