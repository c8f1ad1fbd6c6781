#version 450
// Components of locations have 32 bits: half of a double cannot be captured.
// RUN: polyshade capture %s --varyings location=2.yz -o %t.spv
// EXIT: 2
// CHECK: `location=2.yz` splits a 64-bit component

layout(location = 2) flat out dvec3 v_times;

void main() {
    v_times = dvec3(1.0lf);
    gl_Position = vec4(0.0);
}
