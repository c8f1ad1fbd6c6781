#version 450
// RUN: polyshade clip %s --to combined --signature 4294967295,0 -o %t.spv
// EXIT: 3
// CHECK: 4294967295 is more than maxClipDistances, 8

out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[2]; };
void main() {
    gl_Position = vec4(0.0);
    gl_ClipDistance[0] = gl_CullDistance[0] = gl_CullDistance[1] = 1.0;
}
