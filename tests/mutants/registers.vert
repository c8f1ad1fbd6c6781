#version 450
// Two registers as in Direct3D, one of them written twice.
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) out vec4 v_colour;
layout(location = 1) out vec4 v_first;
layout(location = 3) out vec2 v_second;

void main() {
    v_colour = a + b;
    v_first = vec4(a.yz, b.x - 1.0, float(gl_VertexIndex) - 4.0);
    v_second = b.yz;
    gl_Position = vec4(b.xyz * 0.1, 1.0);
    if (a.x > 1.0) {
        v_first.z = a.x;
        return;
    }
    v_second.y = float(gl_InstanceIndex) - b.w;
}
