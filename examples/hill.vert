// A corner of a square of a grid; the number of the vertex tells which one.
#version 450
layout(location = 0) out vec2 v_place;
void main() {
    int square = gl_VertexIndex / 4, corner = gl_VertexIndex % 4;
    v_place = vec2(square % 8 + corner % 2, square / 8 + corner / 2) / 8.0;
}
