#version 450
// RUN: polyshade capture %s --varyings v --no-point-size -o %t.hlsl --hlsl-shader-model 41
// EXIT: 3
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: shader model 4.1 has no storage buffers

layout(location = 0) in vec4 p;
layout(location = 0) out vec3 v;
layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;

void main() {
    v = p.xyz * 2.0;
    gl_Position = scene.view * p;
}
