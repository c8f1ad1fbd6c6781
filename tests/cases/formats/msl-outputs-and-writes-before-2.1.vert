#version 450
// SPIRV-Cross would leave the outputs out.
// RUN: polyshade capture %s --varyings v -o %t.spv --variant both=%t.metal --msl-version 1.2
// EXIT: 3
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: a vertex function of MSL 1.2 that writes buffers

layout(location = 0) in vec4 p;
layout(location = 0) out vec3 v;
layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;

void main() {
    v = p.xyz * 2.0;
    gl_Position = scene.view * p;
}
