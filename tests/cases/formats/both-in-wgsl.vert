#version 450
// What stores and rasterizes at once is WGSL too: its storage buffers can be read, as there are none that cannot.
// RUN: polyshade pipeline {"capture":{"storage":{"variant":"both","options":{"varyings":{"interleaved":[{"name":"v"}]}}}}} %s -o %t.wgsl
// KNOWN: naga refuses unknown instructions
// CHECK: @builtin(position)
// CHECK: var<storage, read_write> polyshade_feedback_0_

layout(location = 0) in vec4 p;
layout(location = 0) out vec4 v;
layout(set = 0, binding = 0) uniform Scene { mat4 view; } scene;

void main() {
    v = scene.view * p;
    gl_Position = v;
}
