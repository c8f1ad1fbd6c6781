#version 450
layout(location = 0) in vec4 a;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() { gl_Position = a; }
