#version 450
// A geometry stage is made that hands on all that the vertex stage does, blocks and arrays included.
// RUN: polyshade clip %s --exact --location 8 --geometry %t.spv -o %t.vertex.spv
// CHECK: OpEntryPoint Geometry
// CHECK: Triangles
// CHECK: OutputVertices 4
// CHECK: BuiltIn PrimitiveId
// CHECK-NOT: BuiltIn ClipDistance

layout(location = 0) out vec3 colour;
layout(location = 1) flat out uint number;
layout(location = 2) out Block { vec2 first; layout(location = 5) mat2 second; } block;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };

void main() {
    gl_Position = vec4(0.0);
    colour = vec3(1.0);
    number = 1u;
    block.first = vec2(1.0);
    block.second = mat2(1.0);
    gl_ClipDistance[0] = 1.0;
    gl_CullDistance[0] = 1.0;
}
