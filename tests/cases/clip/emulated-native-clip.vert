#version 450
// Clip distances that the device has stay; cull distances go on as ordinary values, with their flags.
// RUN: polyshade clip %s --emulate 4 --native clip -o %t.spv
// CHECK: OpCapability ClipDistance
// CHECK-NOT: OpCapability CullDistance
// CHECK: Location 4
// CHECK: Location 6
// CHECK: BuiltIn ClipDistance
// CHECK-NOT: BuiltIn CullDistance

out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };
void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = 1.0;
    gl_CullDistance[0] = 1.0;
}
