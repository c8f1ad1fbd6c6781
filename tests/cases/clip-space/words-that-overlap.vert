#version 450
// Words that are given one place follow each other, and do not reach into another place.
// RUN: polyshade clip-space %s --range specialization=7 --flip-y specialization=7 --rotate specialization=8 -o %t.spv
// EXIT: 2
// CHECK: host parameters at specialization=8 overlap those at specialization=7
void main() {
    gl_Position = vec4(0.0);
}
