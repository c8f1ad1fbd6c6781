#version 450
// The raster pass draws with the shader as it was, where it has nothing that must go.
// RUN: polyshade capture %s --varyings v_colour -o %t.capture.spv --variant raster-only=%t.spv

layout(location = 0) out vec4 v_colour;

void main() {
    v_colour = vec4(1.0);
    gl_Position = vec4(0.0);
}
