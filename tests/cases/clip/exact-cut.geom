#version 450
// Each vertex that is emitted is held, and what it completes is cut: of four triangles up to twenty vertices are left.
// RUN: polyshade clip %s --exact -o %t.spv
// CHECK-NOT: OpCapability ClipDistance
// CHECK: OutputVertices 20
// CHECK: OpFunctionCall %void %polyshade_emit_vertex
// CHECK-NOT: OpEmitVertex
// CHECK: %polyshade_emit = OpFunction
// CHECK: OpEmitVertex
// CHECK: %emit_to_triangles = OpFunction

layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) out vec2 smooth_value;
layout(location = 1) flat out vec2 flat_value;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; };

void put(vec4 position) {
    gl_Position = position;
    gl_ClipDistance[0] = position.x;
    gl_ClipDistance[1] = position.y;
    gl_CullDistance[0] = position.z;
    smooth_value = position.xy;
    flat_value = position.zw;
    EmitVertex();
}

void main() {
    for (int i = 0; i < 6; ++i) put(vec4(float(i)));
    EndPrimitive();
}
