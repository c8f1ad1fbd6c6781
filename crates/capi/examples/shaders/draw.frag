// Lights a mesh with a directional light.
#version 450

layout(location = 0) in vec3 v_normal;
layout(location = 1) in vec3 v_color;

layout(location = 0) out vec4 color;

void main() {
    float light = 0.25 + 0.75 * max(dot(normalize(v_normal), normalize(vec3(-0.4, 0.6, 0.7))), 0.0);
    color = vec4(light * v_color, 1.0);
}
