#version 450
// RUN: polyshade clip %s --emulate 4 -o %t.spv
// CHECK-NOT: OpCapability CullDistance
// CHECK: Location 4
// CHECK: Location 6
// CHECK-NOT: BuiltIn CullDistance

out float gl_CullDistance[1];
void main() { gl_Position = vec4(0.0); gl_CullDistance[0] = 1.0; }
