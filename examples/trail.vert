// Keeps the last three positions of a particle.
#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 list[3];
layout(location = 0) out vec3 v_position;
layout(location = 1) out vec2 v_list[3];
void main() {
    v_position = position;
    v_list = vec2[](list[1], list[2], position.xy);
    gl_Position = vec4(position, 1.0);
}
