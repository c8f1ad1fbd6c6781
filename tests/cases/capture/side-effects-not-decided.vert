#version 450
// A store of the shader's own would happen in both passes: the user decides.
// RUN: polyshade capture %s --varyings gl_Position -o %t.spv
// EXIT: 3
// CHECK: the shader stores to memory itself, and would in both passes
// CHECK: OpAtomicIAdd
// CHECK: say which pass keeps its side effects

layout(set = 0, binding = 0) buffer Count {
    uint vertices;
};

void main() {
    atomicAdd(vertices, 1u);
    gl_Position = vec4(0.0);
}
