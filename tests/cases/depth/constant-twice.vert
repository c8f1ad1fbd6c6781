#version 450
// One constant says one thing.
// RUN: polyshade depth %s --range specialization=7 --flip-y specialization=7 -o %t.spv
// EXIT: 2
// CHECK: specialization constant 7 would say two things
void main() {
    gl_Position = vec4(0.0);
}
