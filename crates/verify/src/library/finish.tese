// Draws nothing visible: completes the pipeline of a tested control stage.
#version 450
layout(triangles) in;
out gl_PerVertex { vec4 gl_Position; };
void main() { gl_Position = vec4(0.0); }
