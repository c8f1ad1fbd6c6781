// Capture stores what the shader wrote; a plane that is off does not clip; the position is converted, then discarded.
// RUN: polyshade pipeline {"rasterizer_discard":{"when":{"param":{"specialization":{"first_id":7}}}},"clip_space":{"depth":{"fixed":true}},"masks":{"enabled":{"fixed":1}},"capture":{"storage":{"variant":"both","options":{"varyings":{"interleaved":[{"name":"gl_Position"},{"name":"gl_ClipDistance[1]"}]}}}}} %s -o %t.spv
// CHECK: %convert_position = OpFunction
// CHECK: OpFunctionCall %v4float %discard_position
#version 450
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
void main() {
    gl_Position = vec4(gl_VertexIndex);
    gl_ClipDistance[0] = 1.0;
    gl_ClipDistance[1] = 2.0;
    gl_PointSize = 1.0;
}
