#version 450
// The vertex stage hands its distances on as ordinary values.
// RUN: polyshade clip %s --exact --location 8 --geometry %t.geometry.spv --primitive points -o %t.spv
// CHECK-NOT: OpCapability ClipDistance
// CHECK: Location 8
// CHECK-NOT: BuiltIn ClipDistance

out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[1]; };

void main() {
    gl_Position = vec4(0.0);
    gl_PointSize = 1.0;
    gl_ClipDistance[0] = 1.0;
}
