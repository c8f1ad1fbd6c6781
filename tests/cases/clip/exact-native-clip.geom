#version 450
// Clip distances that the device has stay, and nothing is cut.
// RUN: polyshade clip %s --exact --native clip -o %t.spv
// CHECK: OpCapability ClipDistance
// CHECK: OutputVertices 2
// CHECK: BuiltIn ClipDistance
// CHECK-NOT: BuiltIn CullDistance

layout(points) in;
layout(line_strip, max_vertices = 2) out;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };

void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = 1.0;
    gl_CullDistance[0] = 1.0;
    EmitVertex();
    EmitVertex();
}
