// Raises a grid by a height map, and lights it. A depth pass needs only the height.
#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 texture_coordinate;
layout(location = 2) in vec3 normal;
layout(set = 0, binding = 0) uniform Camera { mat4 view_projection; vec3 sun; } camera;
layout(set = 0, binding = 1) uniform sampler2D heights;
layout(location = 0) out vec2 v_texture_coordinate;
layout(location = 1) out vec3 v_light;
void main() {
    float height = textureLod(heights, texture_coordinate, 0.0).r;
    v_texture_coordinate = texture_coordinate * 8.0;
    v_light = vec3(max(dot(normalize(normal), camera.sun), 0.0)) + 0.1;
    gl_Position = camera.view_projection * vec4(position.x, height, position.y, 1.0);
}
