// RUN: polyshade pipeline {"capture":{"storage":{"variant":"both","options":{"varyings":{"interleaved":[{"name":"v"}]},"draws":{"compute":true}}}}} %s -o %t.spv
// EXIT: 3
// CHECK: capture, vertex stage: cannot capture and rasterize in one variant: a compute stage has no stage outputs
#version 450
layout(location = 0) out vec2 v;
void main() {
    v = vec2(gl_VertexIndex);
    gl_Position = vec4(v, 0, 1);
}
