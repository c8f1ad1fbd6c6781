// Emits the triangles again, clipped by half of each distance.
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() {
    for (int i = 0; i < 3; ++i) {
        gl_Position = gl_in[i].gl_Position;
        for (int plane = 0; plane < 2; ++plane) gl_ClipDistance[plane] = 0.5 * gl_in[i].gl_ClipDistance[plane];
        EmitVertex();
    }
    EndPrimitive();
}
