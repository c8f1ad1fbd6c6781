// RUN: rewrite move-output 0 1
// EXIT: 2
// CHECK: the location is already in use
// CHECK: about: w.
#version 450
layout(vertices = 4) out;
layout(location = 0) in vec4 x[];
layout(location = 0) out vec4 v[];
layout(location = 1) patch out vec2 w;
struct S { float a; vec2 b[2]; };
layout(location = 2) out S s[];
void main() {
    v[gl_InvocationID] = x[gl_InvocationID];
    s[gl_InvocationID].b[1].x = 1.0;
    barrier();
    if (gl_InvocationID > 2) return;
    v[gl_InvocationID].x += v[gl_InvocationID ^ 1].y;
    if (gl_InvocationID == 0) { w.y = v[3].x; }
    gl_TessLevelOuter[0] = 1.0;
}
