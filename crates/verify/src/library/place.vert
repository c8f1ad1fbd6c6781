// `synthetic_vertex` adds the outputs.
#version 450
void main() {}
