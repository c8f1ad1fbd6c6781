// Two fields want words in one place.
// RUN: polyshade pipeline {"clip_space":{"depth":{"param":{"push_constant":{"offset":16}}}},"rasterizer_discard":{"when":{"param":{"push_constant":{"offset":16}}}}} %s -o %t.spv
// EXIT: 2
// CHECK: discard, vertex stage: bytes 16..20 of the push constants are reserved
#version 450
void main() { gl_Position = vec4(1.0); }
