#version 450
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 v_color;
layout(push_constant) uniform Scene { mat4 view; } scene;
void main() {
    v_color = position * 0.5 + 0.5;
    gl_Position = scene.view * vec4(position, 1.0);
}
