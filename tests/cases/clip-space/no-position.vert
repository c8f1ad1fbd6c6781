#version 450
// A shader without a position stays as it is.
// RUN: polyshade clip-space %s -o %t.spv
layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
}
