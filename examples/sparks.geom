#version 450
// A falling line for each point. Fast points have longer lines.
layout(points) in;
layout(line_strip, max_vertices = 8) out;
layout(location = 0) in vec3 v_velocity[];
layout(location = 0) out float g_age;

void main() {
    int count = 2 + int(v_velocity[0].y * 3.0 + 3.0);
    for (int i = 0; i < count; ++i) {
        g_age = float(i) / 8.0;
        vec3 fall = v_velocity[0] * g_age - vec3(0.0, g_age * g_age, 0.0);
        gl_Position = gl_in[0].gl_Position + vec4(fall, 0.0);
        EmitVertex();
    }
    EndPrimitive();
}
