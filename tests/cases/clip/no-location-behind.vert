#version 450
// RUN: polyshade clip %s --emulate 4294967294 -o %t.spv
// EXIT: 2
// CHECK: cannot use location 4294967294 + 2

out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[1]; };
void main() {
    gl_Position = vec4(0.0);
    gl_CullDistance[0] = 1.0;
}
