#version 450
// An array that is declared and not written goes, too: a device that lacks it refuses the shader.
// RUN: polyshade clip %s --emulate 4 --native clip -o %t.spv
// CHECK: OpCapability ClipDistance
// CHECK-NOT: OpCapability CullDistance
// CHECK-NOT: Location 4
// CHECK: BuiltIn ClipDistance
// CHECK-NOT: BuiltIn CullDistance

out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };
void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = 1.0;
}
