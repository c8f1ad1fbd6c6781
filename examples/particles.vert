// Moves particles; a program captures the outputs and moves them again in the next frame.
#version 450

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 velocity;
layout(location = 2) in float age;

layout(set = 0, binding = 0) uniform Simulation {
    mat4 view_projection;
    vec3 gravity;
    float seconds;
} simulation;

layout(location = 0) out vec3 v_position;
layout(location = 1) out vec3 v_velocity;
layout(location = 2) out float v_age;

void main() {
    v_age = age + simulation.seconds;
    v_velocity = velocity + simulation.gravity * simulation.seconds;
    v_position = position + v_velocity * simulation.seconds;
    if (v_position.y < 0.0) {
        v_position.y = -v_position.y;
        v_velocity.y = -0.5 * v_velocity.y;
    }
    gl_Position = simulation.view_projection * vec4(v_position, 1.0);
    gl_PointSize = 2.0;
}
