// The positions of all views are kept, and what depends on the view stays.
// RUN: polyshade position-only %s --complement %t.other.spv -o %t.spv
// CHECK: OpCapability MultiView
// CHECK: OpMatrixTimesVector
// CHECK-NOT: OpMatrixTimesVector
#version 450
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 x;
layout(location = 0) out vec4 v;
layout(binding = 0) uniform U { mat4 m[4]; mat4 n[4]; };
void main() { gl_Position = m[gl_ViewIndex] * x; v = n[gl_ViewIndex] * x; }
