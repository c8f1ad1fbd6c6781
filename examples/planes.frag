// Fades a fragment near a clip plane.
#version 450
in float gl_ClipDistance[2];
layout(location = 0) out vec4 color;
void main() {
    color = vec4(1.0, 1.0, 1.0, clamp(min(gl_ClipDistance[0], gl_ClipDistance[1]), 0.0, 1.0));
}
