// Draws a captured mesh, tilted so that it is seen from above.
#version 450

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;

layout(location = 0) out vec3 v_normal;
layout(location = 1) out vec3 v_color;

void main() {
    const float tilt = 0.75;
    mat3 turned = mat3(1.0, 0.0, 0.0, 0.0, cos(tilt), sin(tilt), 0.0, -sin(tilt), cos(tilt));
    vec3 seen = turned * position;
    v_normal = turned * normal;
    v_color = color;
    gl_Position = vec4(0.8 * seen.x, -0.8 * seen.y, 0.5 - 0.25 * seen.z, 1.0);
}
