#version 450
// A location inside a block keeps the whole block.
// RUN: polyshade position-only %s --keep position,location=2 -o %t.spv
// CHECK: v_color

layout(location = 0) in vec4 place;
layout(location = 0) out Varyings { vec3 v_world; vec2 v_uv; vec4 v_color; };

void main() {
    v_world = place.xyz;
    v_uv = place.xy;
    v_color = sqrt(place);
    gl_Position = place;
}
