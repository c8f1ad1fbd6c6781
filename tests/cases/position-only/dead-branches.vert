#version 450
// A branch with nothing live in it goes; one with something stays, with both its arms.
// RUN: polyshade position-only %s -o %t.spv
// KNOWN: unknown instructions keep alive the branches that they stand in
// CHECK: OpSelectionMerge
// CHECK-NOT: OpSelectionMerge

layout(location = 0) in vec4 place;
layout(location = 0) out vec4 v_colour;

void main() {
    vec4 p = place;
    if (place.x > 0.5) {
        v_colour = vec4(1.0);
    } else if (place.y > 0.5) {
        v_colour = vec4(0.0);
    }
    if (place.z > 0.5) {
        p.z = 0.5;
    }
    gl_Position = p;
}
