#version 450
// RUN: polyshade convert %s -o %t.hlsl --hlsl-shader-model 60
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: cbuffer Scene : register(b2, space1)
// CHECK: float3 v : TEXCOORD0;
// CHECK: SPIRV_Cross_Output main(

layout(location = 0) in vec4 p;
layout(location = 0) out vec3 v;
layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;

void main() {
    v = p.xyz * 2.0;
    gl_Position = scene.view * p;
}
