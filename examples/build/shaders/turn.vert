#version 450
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 v_position;

void main() {
    v_position = vec3(-position.y, position.x, position.z);
    gl_Position = vec4(v_position, 1.0);
}
