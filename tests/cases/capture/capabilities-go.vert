#version 450
// What is captured and not handed on needs no distances of the device.
// RUN: polyshade capture %s --varyings gl_Position,gl_ClipDistance -o %t.spv --variant both=%t.both.spv
// CHECK-NOT: OpCapability ClipDistance
// CHECK-NOT: OpCapability CullDistance
out gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
};

void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = gl_ClipDistance[1] = 1.0;
    gl_CullDistance[0] = 2.0;
}
