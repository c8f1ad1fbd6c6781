#version 450
// Two targets, an early return, and the colours of the blended triangles.
layout(location = 0) in vec4 colour;
layout(location = 1) in vec4 other;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;

void main() {
    first = colour;
    second = other;
    if (gl_FragCoord.x < 6.0)
        return;
    second = colour;
}
