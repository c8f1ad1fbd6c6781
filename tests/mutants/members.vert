#version 450
// Doubles, elements and members, and an early return.
layout(location = 0) in vec4 a;
layout(location = 1) in vec3 b;
layout(location = 0) out dvec2 v_pair;
layout(location = 1) out vec2 v_list[3];
layout(location = 4) out Block {
    vec3 colour;
    int number;
} o;

void shade(inout vec3 colour) {
    colour = b * 0.5 + colour.zyx;
}

void main() {
    vec3 colour = vec3(a.xy, float(gl_InstanceIndex));
    o.number = gl_VertexIndex * 3 - 5;
    for (int i = 0; i < 3; ++i) v_list[i] = a.zw + vec2(i, gl_VertexIndex);
    v_pair = dvec2(a.y, gl_VertexIndex);
    gl_Position = vec4(b, 1.0);
    if (a.x < 0.0) {
        o.colour = vec3(gl_VertexIndex, 2.0, a.x);
        return;
    }
    shade(colour);
    o.colour = colour;
    gl_PointSize = b.x;
}
