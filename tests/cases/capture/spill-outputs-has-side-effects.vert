#version 450
// Where the shader runs once, what it does happens once, in the capture pass, whichever of two passes would have it.
// RUN: polyshade capture %s --varyings gl_Position --spill-outputs --side-effects in-raster -o %t.capture.spv --variant spill-outputs=%t.spv
// CHECK: OpAtomicIAdd

layout(set = 0, binding = 0) buffer Count {
    uint vertices;
};

void main() {
    atomicAdd(vertices, 1u);
    gl_Position = vec4(0.0);
}
