#version 450
// GLSL is compiled by the program itself, with macros, to the version of SPIR-V that it is told.
// RUN: polyshade convert %f -D UNUSED=4 --spirv-version 1.5 -o %t.spvasm
// CHECK: ; Version: 1.5
// CHECK: OpEntryPoint Vertex %4 "main"

layout(location = 0) in vec4 p;
layout(location = 0) out vec3 v;
layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;

void main() {
    v = p.xyz * 2.0;
    gl_Position = scene.view * p;
}
