// The depth of a primitive, and its facing: 1 for the front, 2 for the back.
#version 450
layout(location = 0) out vec2 pixel;
void main() { pixel = vec2(gl_FragCoord.z, gl_FrontFacing ? 1.0 : 2.0); }
