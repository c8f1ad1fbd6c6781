// Where a primitive is, and how deep.
#version 450
layout(location = 0) out vec2 pixel;
void main() { pixel = vec2(gl_FragCoord.z, 1.0); }
