#version 450
// RUN: polyshade capture %s --varyings v --validate --target-env vulkan1.1 -o %t.spv
// KNOWN: the validator refuses unknown instructions
// CHECK: OpStore

layout(location = 0) in vec4 p;
layout(location = 0) out vec3 v;
layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;

void main() {
    v = p.xyz * 2.0;
    gl_Position = scene.view * p;
}
