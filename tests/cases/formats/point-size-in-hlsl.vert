#version 450
// RUN: polyshade capture %s --varyings v -o %t.hlsl
// EXIT: 3
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: the shader writes PointSize, which Direct3D does not have
// CHECK: --hlsl-drop-point-size

layout(location = 0) in vec4 p;
layout(location = 0) out vec3 v;
layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;

void main() {
    v = p.xyz * 2.0;
    gl_Position = scene.view * p;
}
