#version 450
layout(location = 0) in vec4 from;
layout(location = 0) out vec4 colour;
in float gl_ClipDistance[2];

void main() {
    colour = from + vec4(gl_ClipDistance[0], gl_ClipDistance[1], gl_FragCoord.x, 1.0);
    if (gl_FragCoord.y > 25.0) discard;
}
