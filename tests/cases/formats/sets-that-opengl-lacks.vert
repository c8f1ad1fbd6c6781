#version 450
// Two buffers with one binding in two sets would be one.
// RUN: polyshade convert %s -o %t.vert
// EXIT: 3
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: OpenGL has no descriptor sets, so set 0 binding 1

layout(set = 0, binding = 1) uniform A { vec4 a; };
layout(set = 1, binding = 1) uniform B { vec4 b; };

void main() {
    gl_Position = a + b;
}
