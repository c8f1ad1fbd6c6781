#version 450
// Whole varyings and built-ins go into two buffers; the capture pass has no output but the point size.
// RUN: polyshade capture %s --varyings gl_Position,v_normal,gl_NextBuffer,v_weights,gl_SkipComponents1,v_bone -o %t.spv
// CHECK: OpEntryPoint Vertex %main "main" %gl_VertexIndex %position %gl_InstanceIndex %polyshade_point_size
// CHECK: OpStore %polyshade_point_size
// CHECK: OpArrayLength

layout(location = 0) in vec3 position;
layout(location = 0) out mat3 v_normal;
layout(location = 3) out float v_weights[3];
layout(location = 6) flat out uint v_bone;

void main() {
    v_normal = mat3(1.0);
    v_weights = float[3](0.5, 0.25, 0.25);
    v_bone = uint(gl_VertexIndex);
    gl_Position = vec4(position, 1.0);
}
