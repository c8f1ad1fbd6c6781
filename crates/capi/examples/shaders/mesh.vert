// A triangle strip wound around a torus that swells with time. The host captures it once, and then draws the capture.
#version 450

const uint AROUND = 96;
const float TURN = 6.28318530718;

layout(push_constant) uniform Animation {
    float seconds;
} animation;

layout(location = 0) out vec3 v_position;
layout(location = 1) out vec3 v_normal;
layout(location = 2) out vec3 v_color;

void main() {
    // Two vertices for each step around the tube: one at this winding, and one a winding further along.
    uint number = uint(gl_VertexIndex);
    uint column = number / 2;
    float around = TURN * float(column % AROUND) / float(AROUND);
    float along = TURN * (float(column) / float(AROUND) + float(number & 1)) / 48.0;
    float swell = 0.30 + 0.08 * sin(6.0 * along + animation.seconds);
    vec3 outwards = vec3(cos(along), 0.0, sin(along));
    v_normal = cos(around) * outwards + vec3(0.0, sin(around), 0.0);
    v_position = 0.8 * outwards + swell * v_normal;
    v_color = 0.5 + 0.5 * cos(along + vec3(0.0, 2.1, 4.2));
    gl_Position = vec4(v_position, 1.0);
}
