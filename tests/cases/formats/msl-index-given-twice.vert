#version 450
// RUN: polyshade capture %s --varyings v --set 3 --binding 0 -o %t.metal --msl-buffer 3:0=1 --msl-buffer 1:2=1
// EXIT: 2
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: buffer index 1 is assigned to

layout(location = 0) in vec4 p;
layout(location = 0) out vec3 v;
layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;

void main() {
    v = p.xyz * 2.0;
    gl_Position = scene.view * p;
}
