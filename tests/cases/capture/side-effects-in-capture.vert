#version 450
// The store stays in the capture pass and goes from the raster pass.
// RUN: polyshade capture %s --varyings gl_Position --side-effects in-capture -o %t.capture.spv --variant raster-only=%t.spv
// CHECK-NOT: OpAtomicIAdd

layout(set = 0, binding = 0) buffer Count {
    uint vertices;
};

void main() {
    atomicAdd(vertices, 1u);
    gl_Position = vec4(0.0);
}
