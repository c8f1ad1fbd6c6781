#version 450
#extension GL_EXT_multiview : require
// Metal binds no reference to a constant, which the number of the view would be.
// RUN: polyshade capture %s --varyings c,gl_Position -o %t.metal
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: thread uint& gl_ViewIndex
// CHECK: uint gl_ViewIndex = 0;
// CHECK-NOT: const uint gl_ViewIndex

layout(location = 0) in vec4 p;
layout(location = 0) out vec4 c;
layout(set = 0, binding = 0) uniform U { mat4 m[2]; };

void main() {
    gl_Position = m[gl_ViewIndex] * p;
    c = p;
}
