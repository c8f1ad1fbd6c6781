#version 450
// RUN: polyshade convert %s -o %t.metal
// EXIT: 3
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: MSL has no cull distances

layout(location = 0) in vec4 position;

out gl_PerVertex {
    vec4 gl_Position;
    float gl_CullDistance[1];
};

void main() {
    gl_Position = position;
    gl_CullDistance[0] = position.x;
}
