// Raises the grid to a hill.
#version 450
layout(quads, fractional_even_spacing, ccw) in;
layout(location = 0) in vec2 c_place[];
layout(location = 0) out float e_height;
void main() {
    vec2 place = mix(mix(c_place[0], c_place[1], gl_TessCoord.x), mix(c_place[2], c_place[3], gl_TessCoord.x), gl_TessCoord.y);
    e_height = exp(-8.0 * dot(place - 0.5, place - 0.5));
    gl_Position = vec4(2.0 * place.x - 1.0, 0.7 - place.y - 0.6 * e_height, place.y, 1.0);
}
