// Overlapping triangles, none of which covers all pixels.
#version 450
void main() {
    vec2 corners[9] = vec2[](vec2(-1.0, -1.0), vec2(1.0, -0.9), vec2(-0.8, 1.0),
                             vec2(0.9, 1.0), vec2(-0.9, 0.8), vec2(1.0, -1.0),
                             vec2(-3.0, -0.5), vec2(3.0, -0.6), vec2(0.1, 2.5));
    gl_Position = vec4(corners[gl_VertexIndex % 9], 0.5, 1.0);
}
