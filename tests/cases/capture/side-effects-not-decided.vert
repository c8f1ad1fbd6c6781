#version 450
// A store of the shader's own would happen in both passes: the user decides.
// RUN: polyshade capture %s --varyings gl_Position -o %t.spv
// EXIT: 3
// CHECK: the shader has its own stores to memory, and both passes would execute them
// CHECK: OpAtomicIAdd
// CHECK: state which pass keeps the side effects

layout(set = 0, binding = 0) buffer Count {
    uint vertices;
};

void main() {
    atomicAdd(vertices, 1u);
    gl_Position = vec4(0.0);
}
