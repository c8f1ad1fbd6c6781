#version 450
// A strip of three triangles, one of them with the opposite orientation.
layout(triangles) in;
layout(triangle_strip, max_vertices = 5) out;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
layout(location = 0) in vec4 from[];
layout(location = 0) out vec4 to;

void put(int i, float by) {
    gl_Position = gl_in[i].gl_Position + vec4(by, by * 0.5, 0.0, 0.0);
    gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[0] + by;
    gl_ClipDistance[1] = gl_in[i].gl_ClipDistance[1] - by;
    gl_CullDistance[0] = from[i].x - 0.5 + by * 0.5;
    to = from[i] * (by + 0.5);
    EmitVertex();
}

void main() {
    for (int i = 0; i < 3; ++i) put(i, float(i) * 0.125);
    put(0, 0.5);
    put(1, -0.5);
}
