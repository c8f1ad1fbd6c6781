#version 450
// A point goes or stays: nothing is interpolated, and no more are emitted than were.
// RUN: polyshade clip %s --exact -o %t.spv
// CHECK: OutputVertices 3
// CHECK: %emit_to_points = OpFunction
// CHECK-NOT: BuiltIn CullDistance

layout(points) in;
layout(points, max_vertices = 3) out;
out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[1]; };

void main() {
    gl_Position = vec4(0.0);
    gl_CullDistance[0] = 1.0;
    EmitVertex();
}
