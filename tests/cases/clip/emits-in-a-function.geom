#version 450
// Outputs are handed on before each emit.
// RUN: polyshade clip %s --outputs cull=1.x -o %t.spv
// CHECK: OpFunctionCall %void %polyshade_hand_on
// CHECK: OpEmitVertex
// CHECK-NOT: OpEmitVertex
// CHECK: %polyshade_hand_on = OpFunction

layout(points) in;
layout(points, max_vertices = 2) out;
layout(location = 1) out float culled;

void put(float value) {
    culled = value;
    EmitVertex();
}

void main() {
    put(1.0);
    put(-1.0);
}
