#version 450
// Points that examples/sparks.geom extends to lines.
layout(location = 0) out vec3 v_velocity;

void main() {
    float angle = float(gl_VertexIndex) * 2.4;
    v_velocity = vec3(cos(angle), sin(angle), 0.1);
    gl_Position = vec4(v_velocity * 0.2, 1.0);
}
