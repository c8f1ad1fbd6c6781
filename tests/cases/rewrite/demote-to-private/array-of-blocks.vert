// Each element is copied member by member.
// RUN: rewrite demote-to-private epilogue blocks
#version 450
layout(location = 0) out Block { vec4 a; float b[3]; } blocks[2];
void main() { blocks[1].b[2] = 1.0; blocks[0].a = vec4(2.0); }
