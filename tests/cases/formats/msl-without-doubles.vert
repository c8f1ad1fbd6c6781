#version 450
// RUN: polyshade capture %s --varyings d -o %t.metal
// EXIT: 3
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: MSL has no 64-bit floats (double)

layout(location = 0) flat out dvec2 d;

void main() {
    d = dvec2(gl_VertexIndex);
    gl_Position = vec4(0.0);
}
