// Writes distances to ordinary outputs, as Direct3D translators do: clip distances at location 3, cull at 4.
#version 450
layout(location = 0) in vec3 position;
layout(location = 0) out vec4 v_color;
layout(location = 3) out vec2 clip_distances;
layout(location = 4) out vec2 cull_distances;
layout(push_constant) uniform Scene { mat4 view; } scene;
void main() {
    v_color = vec4(position * 0.5 + 0.5, 0.5);
    clip_distances = position.xy + 0.5;
    cull_distances = position.yz + 0.25;
    gl_Position = scene.view * vec4(position, 1.0);
}
