#version 450
// The position needs most of the work, and the report says so.
// RUN: polyshade position-only %s --dry-run
// CHECK: gains little

layout(location = 0) in vec4 place;
layout(location = 0) out vec4 v_colour;
layout(binding = 0) uniform sampler2D heights;

void main() {
    v_colour = place;
    vec4 p = place;
    p.y += textureLod(heights, place.xz, 0.0).x * 10.0 + textureLod(heights, place.zx, 0.0).x;
    p.w = dot(p, p) + sin(p.x);
    gl_Position = p;
}
