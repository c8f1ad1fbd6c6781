#version 450
// RUN: polyshade convert %s -o %t.glsl --glsl-vulkan --glsl-version 460
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: #version 460
// CHECK: layout(set = 1, binding = 2, std140) uniform Scene

layout(location = 0) in vec4 p;
layout(location = 0) out vec3 v;
layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;

void main() {
    v = p.xyz * 2.0;
    gl_Position = scene.view * p;
}
