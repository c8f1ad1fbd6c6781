#version 450
// Members of the block go, those of the structures in it stay: GLSL and HLSL could not say where they lie.
// RUN: polyshade position-only %s -o %t.spv
// CHECK: OpMemberName %Light 0 "colour"
// CHECK: OpMemberName %Light 1 "place"
// CHECK: OpMemberName %U 0 "lights"
// CHECK-NOT: "tint"

struct Light {
    vec4 colour;
    mat4 place;
    vec2 other;
};
layout(set = 0, binding = 0) uniform U {
    vec4 first;
    Light lights[4];
    vec4 tint;
} u;
layout(location = 0) out vec4 v;

void main() {
    v = u.lights[gl_VertexIndex & 3].colour + u.first + u.tint;
    gl_Position = u.lights[gl_VertexIndex & 3].place * vec4(1.0);
}
