#version 450
// What the shader writes and reads would be read as it was before in the pass that does not write.
// RUN: polyshade capture %s --varyings gl_Position --side-effects in-capture -o %t.capture.spv --variant raster-only=%t.spv
// EXIT: 3
// CHECK: the shader reads memory that it writes, but only one of the two passes writes it

layout(set = 0, binding = 0) buffer Values {
    float values[];
};

void main() {
    values[gl_VertexIndex] = 1.0;
    gl_Position = vec4(values[0]);
}
