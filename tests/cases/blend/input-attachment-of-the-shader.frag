#version 450
// RUN: polyshade blend %s --equations screen --set 1 -o %t.spv
// EXIT: 2
// CHECK: the shader already uses input attachment index 0

layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput light;
layout(location = 0) out vec4 colour;

void main() {
    colour = subpassLoad(light);
}
