#version 450
// Where nothing is to be done the shader stays as it is.
// RUN: polyshade clip-space %s --range off -o %t.spv
void main() {
    gl_Position = vec4(0.0);
}
