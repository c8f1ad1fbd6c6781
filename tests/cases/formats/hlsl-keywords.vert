#version 450
// Words of C++, and types, that mean nothing in GLSL.
// RUN: polyshade convert %s -o %t.hlsl
// KNOWN: SPIRV-Cross refuses unknown instructions
// CHECK: struct float40
// CHECK: float4 new0;
// CHECK: float friend0;
// CHECK: throw0(
// CHECK: float40 private0;

struct float4 { vec4 new; float friend; };
layout(location = 0) in vec4 p;
layout(location = 0) out vec4 v;

vec4 throw(vec4 delete) {
    if (delete.x > 0.5) return delete;
    return delete * 2.0;
}

void main() {
    float4 private;
    private.new = p;
    private.friend = p.x;
    for (int i = 0; i < int(p.y); ++i) private.friend += private.new[i];
    v = throw(private.new) * private.friend;
    gl_Position = p;
}
