#version 450
// A shader without attributes stays as it is.
// RUN: polyshade vertex-pulling %s -o %t.spv
void main() {
    gl_Position = vec4(gl_VertexIndex);
}
