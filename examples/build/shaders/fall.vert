#version 450
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 v_position;

void main() {
    v_position = position - vec3(0.0, 0.5, 0.0);
    gl_Position = vec4(v_position, 1.0);
}
