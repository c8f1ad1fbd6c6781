#version 450
// What an atomic returns is not to be had in the pass that does without it.
// RUN: polyshade capture %s --varyings v_number --side-effects in-raster -o %t.spv
// EXIT: 3
// CHECK: the result of an atomic instruction is used, but only one of the two passes has it

layout(set = 0, binding = 0) buffer Count {
    uint vertices;
};
layout(location = 0) flat out uint v_number;

void main() {
    v_number = atomicAdd(vertices, 1u);
    gl_Position = vec4(0.0);
}
