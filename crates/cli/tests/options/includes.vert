#version 450
#extension GL_GOOGLE_include_directive : require
#include "number.glsl"
void main() { gl_Position = vec4(NUMBER); }
