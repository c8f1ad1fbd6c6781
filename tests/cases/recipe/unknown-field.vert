// A field that no recipe has is refused with its place.
// RUN: polyshade pipeline {"clip_space":{"depht":"on"}} %s -o %t.spv
// EXIT: 1
// CHECK: unknown field `depht`, expected one of `depth`, `flip_y`, `rotation` at line 1 column
#version 450
void main() { gl_Position = vec4(1.0); }
