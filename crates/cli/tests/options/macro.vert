#version 450
#ifdef SCALE
void main() { gl_Position = vec4(SCALE); }
#else
void main() { gl_Position = vec4(1.0); }
#endif
