// RUN: rewrite demote-to-private epilogue *
// Version: 1.0
#version 450
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; };
layout(location = 0) out mat3 m;
layout(location = 3) out dvec3 d;
layout(location = 6) flat out ivec2 i[2];
layout(location = 10) out Block { mat2 a[2]; } b;
void main() {
    gl_Position = vec4(1.0);
    gl_ClipDistance[gl_VertexIndex % 3] = 1.0;
    m[1].x = 2.0;
    d = dvec3(m[0]);
    i[1].y = 3;
    b.a[1][0][1] = m[0][0];
}
