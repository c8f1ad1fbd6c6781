#version 450
// A varying is kept by its location.
// RUN: polyshade position-only %s --keep position,location=1 -o %t.spv
// CHECK: v_kept
// CHECK-NOT: v_gone

layout(location = 0) in vec4 place;
layout(location = 0) out vec4 v_gone;
layout(location = 1) out vec4 v_kept;

void main() {
    v_gone = place * 2.0;
    v_kept = place * 3.0;
    gl_Position = place;
}
