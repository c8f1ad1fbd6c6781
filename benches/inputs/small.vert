#version 450

// About 300 words: the size of most shaders that a translation layer sees.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec2 a_texcoord;

layout(set = 0, binding = 0) uniform Camera {
    mat4 view_projection;
};

layout(location = 0) out vec2 v_texcoord;

void main() {
    v_texcoord = a_texcoord;
    gl_Position = view_projection * vec4(a_position, 1.0);
}
